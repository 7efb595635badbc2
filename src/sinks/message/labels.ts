// Labels of an incident: what routes and silences match, and what Alertmanager tells alerts apart by.

import { componentText } from '../../model/component.ts';
import type { Incident } from '../../model/incident.ts';
import type { Labels } from '../../model/matcher.ts';

const MOST_VALUES = 16;

export const LABEL_NAMES = [
  'severity',
  'kind',
  'component',
  'component_type',
  'job',
  'user',
  'account',
  'queue',
  'namespace',
  'incident',
  'host',
  'rack',
  'root_known',
  'confirmed',
  'made',
] as const;

/** `own`: labels of this host from the configuration; they give way to those of the incident, but for the rack, where they are surer. */
export function labelsOf(incident: Incident, own: Readonly<Record<string, string>>): Labels {
  const { root, whose = [], severity, host, id, unconfirmed, rootKnown, made } = incident;
  const component = root.component;
  const each = (texts: readonly (string | null)[]) => [
    ...new Set(texts.flatMap((text) => (text === null || text === '' ? [] : [text]))),
  ];
  const rack = rackOf(incident);
  const labels: Readonly<Record<Exclude<(typeof LABEL_NAMES)[number], 'rack'>, readonly string[]>> = {
    incident: [id],
    host: [host],
    severity: [severity],
    kind: [root.kind],
    component: component === null ? [] : [componentText(component)],
    component_type: component === null ? [] : [component.type],
    job: each(whose.flatMap(({ job, name }) => [job, name])),
    user: each(whose.map(({ user }) => user)),
    account: each(whose.map(({ account }) => account)),
    queue: each(whose.map(({ queue }) => queue)),
    namespace: each(whose.flatMap(({ pods }) => pods.map((pod) => pod.namespace))),
    root_known: [String(rootKnown)],
    confirmed: [String(unconfirmed === null)],
    made: [made ?? 'no'],
  };
  return {
    ...(rack === null ? {} : { rack: [rack] }),
    ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name, [value]])),
    ...Object.fromEntries(Object.entries(labels).map(([name, values]) => [name, values.slice(0, MOST_VALUES)])),
  };
}

/** The rack that the topology has for the root or on the way to what it hit; null where it has none. */
function rackOf({ root, feedPath = [] }: Incident): string | null {
  const { component } = root;
  if (component?.type === 'rack') return component.id;
  const stations = [component?.parent ?? '', ...feedPath];
  const rack = stations.find((station) => station.startsWith('rack/'));
  return rack === undefined ? null : rack.slice('rack/'.length);
}
