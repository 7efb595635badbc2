// Same cable: of what one tool printed of a fabric, a card and a port of a switch that count the same number of lost links, or that alone count
// errors while it runs, are most likely the two ends of one cable, as are those that its line names; and one port of a switch, of which several
// logs and tools report, has one cable.

import type { Incident } from '../../model/incident.ts';
import { isOfSwitch } from '../../model/switch-side.ts';
import { asOne } from './as-one.ts';
import { type Group, joinedGroups, rootOf, shortOf } from './one-fault/groups.ts';

const LOST_LINKS = /\[LinkDowned(?:Counter)? == (\d{1,9})\]/;

/** What is reported of one port of a switch as one incident, that it went down before what it counts. */
export function joinedByPort(incidents: readonly Incident[]): Incident[] {
  const ports = new Map<string, Incident[]>();
  for (const incident of incidents) {
    const root = rootOf(incident);
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
  /** The same of both ends of a cable. */
  readonly key: string;
  readonly isSwitch: boolean;
}

/** Each such pair as one incident of the card, whose host's work is in question; where more than two count alike none is guessed. */
export function joinedByCable(incidents: readonly Incident[]): Incident[] {
  const ends = Map.groupBy(
    incidents.flatMap((one) => endOf(one) ?? []),
    ({ key }) => key,
  );
  const groups: Group[] = [...ends.values()].flatMap((all) => {
    const [cards, ports] = [false, true].map((isSwitch) => all.filter((end) => end.isSwitch === isSwitch));
    const [card, ...more] = (cards ?? []).map(({ incident }) => incident);
    if (card === undefined || isOfSeveral(cards) || ports === undefined || ports.length === 0 || isOfSeveral(ports)) return []; // biome-ignore format: one rule
    return [{ lead: card, others: [...more, ...ports.map(({ incident }) => incident)] }];
  });
  return joinedGroups(incidents, [...groups, ...namedPeers(incidents)]);
}

function isOfSeveral(ends: readonly End[] = []): boolean {
  return new Set(ends.map(({ incident }) => partOf(incident))).size > 1;
}

/** A card whose line names the port at the other end of its cable, with what else is said of that port. */
function namedPeers(incidents: readonly Incident[]): Group[] {
  return incidents.flatMap((card) => {
    const { peer, peer_port: port } = rootOf(card)?.attributes ?? {};
    if (typeof peer !== 'string' || port === undefined) return [];
    const others = incidents.filter((one) => {
      const { component } = one.root;
      return one !== card && component?.type === 'nic' && component.id === String(port) && component.host !== undefined && shortOf(component.host) === shortOf(peer); // biome-ignore format: one rule
    });
    return others.length === 0 ? [] : [{ lead: card, others }];
  });
}

/** Null where it counts neither lost links nor errors. */
function endOf(incident: Incident): End | null {
  const root = rootOf(incident);
  if (root?.kind !== 'nic.link_degraded' || root.component?.type !== 'nic') return null;
  const [first] = root.evidence;
  const text = first !== undefined && 'text' in first ? first.text : '';
  const said = `${root.attributes.counters ?? ''} ${text}`;
  const lost = LOST_LINKS.exec(said)?.[1];
  const grew = root.attributes.grew === undefined ? undefined : 'errors';
  const counted = lost === undefined || lost === '0' ? grew : lost;
  if (first === undefined || !('text' in first) || counted === undefined) return null;
  const log = (first.place ?? '').replace(/:\d+$/, '');
  return { incident, key: `${log} ${counted}`, isSwitch: isOfSwitch(root) };
}

function partOf({ root: { component }, host }: Incident): string {
  return `${component?.host ?? host} ${component?.id ?? ''}`;
}
