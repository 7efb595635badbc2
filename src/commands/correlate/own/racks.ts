// Racks: what feeds a rack, where no mapping says what it feeds, may feed each host of it.

import type { Component } from '../../../model/component.ts';
import type { Link } from '../../../model/topology.ts';
import type { DeviceEvent, Records } from '../records.ts';

/** As sure as that a job which is not placed runs on the GPUs of its host: likely, and never called configured. */
const SAME_RACK = 0.85;

/**
 * Of PDUs and UPSs that feed nothing by name, in a rack by their mapping or by the metadata of their event.
 * @param of the component that an event is about. @param known the device of a name, null where no mapping has it.
 */
export function rackFeeds(
  { mappings, events }: Pick<Records, 'mappings' | 'events'>,
  of: (event: DeviceEvent) => Component,
  known: (name: string) => Component | null,
): Link[] {
  const hosts = new Map<string, Component[]>();
  const feeds = new Map<string, Set<string>>();
  const put = (name: string, rack: string): void => {
    feeds.set(name, (feeds.get(name) ?? new Set()).add(rack));
  };
  const feeding = new Set(mappings.flatMap((each) => ((each.feeds ?? []).length > 0 ? [each.device] : [])));
  for (const { device, rack } of mappings) {
    const component = known(device);
    if (rack === null || component === null) continue;
    if (component.type === 'host') hosts.set(rack, [...(hosts.get(rack) ?? []), component]);
    else if (isFeed(component) && !feeding.has(device)) put(device, rack);
  }
  const components = new Map<string, Component>();
  for (const event of events) {
    const { rack_id: rack } = event.metadata;
    const component = of(event);
    if (!isFeed(component) || feeding.has(component.id)) continue;
    components.set(component.id, component);
    if (typeof rack === 'string' && rack !== '') put(component.id, rack);
  }
  return [...feeds].flatMap(([name, racks]) => {
    const from = components.get(name) ?? known(name);
    if (from === null) return [];
    return [...racks].flatMap((rack) =>
      (hosts.get(rack) ?? []).map(
        (to): Link => ({ from, to, relation: 'feeds', source: 'configuration', quality: SAME_RACK }),
      ),
    );
  });
}

function isFeed({ type }: Component): boolean {
  return type === 'pdu' || type === 'ups';
}
