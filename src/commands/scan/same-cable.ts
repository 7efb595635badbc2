// Same cable: of what one tool printed of a fabric, a card and a port of a switch that count the same number of lost links are most likely the
// two ends of one cable; and one port of a switch, of which several logs and tools report, has one cable.

import type { Incident } from '../../model/incident.ts';
import { isOfSwitch } from '../../model/switch-side.ts';
import { asOne } from './as-one.ts';

const LOST_LINKS = /\[LinkDowned(?:Counter)? == (\d{1,9})\]/;

/** What is reported of one port of a switch as one incident, that it went down before what it counts. */
export function joinedByPort(incidents: readonly Incident[]): Incident[] {
  const ports = new Map<string, Incident[]>();
  for (const incident of incidents) {
    const root = incident.events.find(({ id }) => id === incident.root.eventId);
    if (root === undefined || root.component?.type !== 'nic' || !isOfSwitch(root)) continue;
    const key = `${root.component.host ?? incident.host} ${root.component.id}`;
    ports.set(key, [...(ports.get(key) ?? []), incident]);
  }
  const joined = new Map<string, Incident>();
  const gone = new Set<string>();
  for (const all of ports.values()) {
    const lead = all.find(({ root }) => root.kind !== 'nic.link_degraded') ?? all[0];
    if (lead === undefined || all.length < 2) continue;
    const others = all.filter((one) => one !== lead);
    joined.set(lead.id, asOne(lead, others));
    for (const { id } of others) gone.add(id);
  }
  return incidents.flatMap((one) => (gone.has(one.id) ? [] : [joined.get(one.id) ?? one]));
}

interface End {
  readonly incident: Incident;
  readonly log: string;
  readonly lost: string;
  readonly isSwitch: boolean;
}

/** Each such pair as one incident of the card, whose host's work is in question; where more than two count alike none is guessed. */
export function joinedByCable(incidents: readonly Incident[]): Incident[] {
  const ends = new Map<string, End[]>();
  for (const incident of incidents) {
    const end = endOf(incident);
    if (end === null) continue;
    const key = `${end.log} ${end.lost}`;
    ends.set(key, [...(ends.get(key) ?? []), end]);
  }
  const joined = new Map<string, Incident>();
  const gone = new Set<string>();
  for (const [a, b, ...more] of ends.values()) {
    if (a === undefined || b === undefined || more.length > 0 || a.isSwitch === b.isSwitch) continue;
    const [card, port] = a.isSwitch ? [b, a] : [a, b];
    joined.set(card.incident.id, asOne(card.incident, [port.incident]));
    gone.add(port.incident.id);
  }
  return incidents.flatMap((one) => (gone.has(one.id) ? [] : [joined.get(one.id) ?? one]));
}

/** Null where it counts no lost links. */
function endOf(incident: Incident): End | null {
  const root = incident.events.find(({ id }) => id === incident.root.eventId);
  if (root?.kind !== 'nic.link_degraded' || root.component?.type !== 'nic') return null;
  const [first] = root.evidence;
  const text = first !== undefined && 'text' in first ? first.text : '';
  const said = `${root.attributes.counters ?? ''} ${text}`;
  const lost = LOST_LINKS.exec(said)?.[1];
  if (first === undefined || !('text' in first) || lost === undefined || lost === '0') return null;
  const log = (first.place ?? '').replace(/:\d+$/, '');
  return { incident, log, lost, isSwitch: isOfSwitch(root) };
}
