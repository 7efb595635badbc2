// Served by: where a service runs, by the node and the GPU that its spans name.

import { type Component, componentText } from '../../../model/component.ts';
import type { Link } from '../../../model/topology.ts';
import type { Span } from '../records.ts';

interface Place {
  readonly from: Component;
  readonly to: Component;
}

/**
 * Nodes and GPUs of the spans, each with its service. On a host where spans tell the GPUs of one service, any other that
 * runs there without a GPU of its own keeps all of them: as far as is known it may use each.
 * @param links those of the topology. @param known the device of a name, null where no mapping has it.
 */
export function servedBy(
  spans: readonly Span[],
  links: readonly Link[],
  known: (name: string) => Component | null,
): Place[] {
  const found = new Map<string, Place>();
  const put = (from: Component, to: Component): void => {
    found.set(`${componentText(from)} ${componentText(to)}`, { from, to });
  };
  for (const { service, node, gpu } of spans) {
    const to: Component = { type: 'service', id: service };
    for (const name of [node, gpu]) {
      const from = name === null ? null : known(name);
      if (from !== null && (from.type === 'host' || from.type === 'gpu')) put(from, to);
    }
  }
  const places = [...found.values(), ...links.filter(({ relation }) => relation === 'runs')];
  const onGpus = new Set(places.flatMap(({ from, to }) => (from.type === 'gpu' ? [`${from.host} ${to.id}`] : [])));
  const hosts = new Set([...found.values()].flatMap(({ from }) => (from.type === 'gpu' ? [from.host] : [])));
  for (const { from: host, to: service } of places) {
    if (host.type !== 'host' || !hosts.has(host.id) || onGpus.has(`${host.id} ${service.id}`)) continue;
    for (const { from, to } of links) if (from.id === host.id && to.type === 'gpu') put(to, service);
  }
  return [...found.values()];
}
