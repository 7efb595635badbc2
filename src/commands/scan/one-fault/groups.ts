// Groups: incidents that one thing is behind, each group as one incident that its lead has the root of, with what the others began as its effects.

import { nameText } from '../../../model/component-name.ts';
import type { FaultEvent } from '../../../model/event.ts';
import { eventTitle } from '../../../model/event-title.ts';
import type { Impact, Incident } from '../../../model/incident.ts';
import { type Kind, kindInfo } from '../../../model/kind.ts';
import { plain } from '../../../model/plain.ts';
import { podOf } from '../../../model/pod-name.ts';
import { asOne } from '../as-one.ts';

export interface Group {
  readonly lead: Incident;
  readonly others: readonly Incident[];
}

/** Each group as one incident, in the place of its lead; an incident is of the first group that has it. */
export function joinedGroups(incidents: readonly Incident[], groups: readonly Group[]): Incident[] {
  const taken = new Set<Incident>();
  const joined = new Map<Incident, Incident>();
  const gone = new Set<Incident>();
  for (const { lead, others } of groups) {
    const more = others.filter((one) => one !== lead && !taken.has(one));
    if (more.length === 0 || taken.has(lead)) continue;
    for (const one of [lead, ...more]) taken.add(one);
    for (const one of more) gone.add(one);
    const one = asOne(lead, more);
    joined.set(lead, { ...one, impact: [...one.impact, ...more.flatMap((each) => impactOf(each, lead))] });
  }
  return incidents.flatMap((one) => (gone.has(one) ? [] : [joined.get(one) ?? one]));
}

/** What the root of an incident is to the one that it is joined to: an effect, unless it is the same or its own effects have it. */
function impactOf(incident: Incident, { root }: Incident): readonly Impact[] {
  const {
    root: { kind, component },
    impact,
  } = incident;
  const { program } = rootOf(incident)?.attributes ?? {};
  if (component !== null && kind === root.kind && program === 'etcd')
    return [{ component, quantity: kind, before: null, after: null, unit: '', text: 'etcd waits for it' }];
  if (component === null || kind === root.kind || isOfOnePart(kind, root.kind)) return [];
  const name = nameText(component);
  if (impact.some((one) => nameText(one.component) === name)) return [];
  // An empty battery had its host shut down.
  const isOff = incident.events.some(({ attributes }) => attributes.shuts_down === true);
  const attributes = rootOf(incident)?.attributes ?? {};
  const pod = kind.startsWith('pod.') ? podOf(attributes) : null;
  const what = pod === null ? `${name}: ${kindInfo(kind).title}` : `pod ${plain(pod, 128)}: ${eventTitle(kind, attributes)}`; // biome-ignore format: one rule
  const text = isOff ? `${name} shut itself down` : what;
  return [{ component, quantity: kind, before: null, after: null, unit: '', text }];
}

/** What else is said of a device, at either end of its cable, is not an effect of what it has. */
function isOfOnePart(kind: Kind, root: Kind): boolean {
  const family = PART.exec(kind)?.[0];
  return family !== undefined && root.startsWith(family);
}
const PART = /^(?:nic|gpu|psu|memory)\./;

export function rootOf({ events, root }: Incident): FaultEvent | undefined {
  return events.find(({ id }) => id === root.eventId);
}

/** The host that the root of an incident is on; where nothing says it, the one whose logs it is of. */
export function placeOf({ root: { component }, host }: Incident): string {
  return shortOf(component?.host ?? (component?.type === 'host' ? component.id : host));
}

/** Hosts are called with and without their domain. */
export function shortOf(host: string): string {
  return /^\d+(?:\.\d+){3}$/.test(host) ? host : (host.split('.', 1)[0] ?? host).toLowerCase();
}

/** Known, seen in a log, and made by no one to try something out. */
export function isRooted(incident: Incident): boolean {
  return incident.rootKnown && incident.made === undefined;
}

/** Runs of incidents of which each opens no later than so long after the one before it. */
export function runsWithin(incidents: readonly Incident[], apartMs: number): Incident[][] {
  const runs: Incident[][] = [];
  for (const one of [...incidents].sort((a, b) => a.openedMs - b.openedMs)) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run !== undefined && last !== undefined && one.openedMs - last.openedMs <= apartMs) run.push(one);
    else runs.push([one]);
  }
  return runs;
}
