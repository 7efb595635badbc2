// Groups: the links of a chain with equal ones of siblings as one — four power brakes of one host are one row.

import { indexText, nameOf, nameText } from '../../model/component-name.ts';
import { placedByPod } from '../../model/detail-text.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { ChainLink, Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { saidDevice } from '../../model/said-device.ts';
import { sourceText } from './source-text.ts';
import { durationText } from './when.ts';

/** Equal links of siblings further apart than this are told apart. */
const TOGETHER_MS = 10_000;
const POLL_GAP_MS = 1000;

export interface Group {
  readonly links: ChainLink[];
  readonly events: FaultEvent[];
}

/** What siblings share; null for what has none. */
function familyOf({ component, kind, severity }: ChainLink): string | null {
  if (component === null) return null;
  const { group, index } = nameOf(component);
  return index === '' ? null : `${kind} ${severity} ${group}`;
}

/** In the order of their first links, heralds of the first one before it. */
export function groupsOf(incident: Pick<Incident, 'events' | 'chain'>): Group[] {
  const [root, ...others] = linkGroups(incident);
  if (root === undefined) return [];
  const heralds = others.filter((group) => isHerald(group, root));
  if (heralds.length === 0) return [root, ...others];
  heralds.sort((one, other) => whenOf(one).timeMs - whenOf(other).timeMs);
  return [...heralds, root, ...others.filter((group) => !heralds.includes(group))];
}

/** Of the same source, wholly before it, and without a doubt of the clocks. */
function isHerald(group: Group, root: Group): boolean {
  if (group.links.some(({ orderUnknown }) => orderUnknown)) return false;
  if (whenOf(group).latestMs >= whenOf(root).earliestMs) return false;
  return group.events[0] !== undefined && group.events[0].source === root.events[0]?.source;
}

function linkGroups({ events, chain }: Pick<Incident, 'events' | 'chain'>): Group[] {
  const known = new Map(events.map((event) => [event.id, event]));
  const groups: Group[] = [];
  const families = new Map<string, Group[]>();
  for (const link of chain) {
    const event = known.get(link.eventId);
    const own = event === undefined ? [] : [event];
    const family = familyOf(link);
    const relatives: Group[] = family === null ? [] : (families.get(family) ?? []);
    const group = relatives.find(({ links: [first] }) => Math.abs((first?.timeMs ?? 0) - link.timeMs) <= TOGETHER_MS);
    if (group !== undefined) {
      group.links.push(link);
      group.events.push(...own);
      continue;
    }
    const made: Group = { links: [link], events: own };
    groups.push(made);
    relatives.push(made);
    if (family !== null) families.set(family, relatives);
  }
  return groups;
}

export function who({ links, events: [event] }: Group): string {
  const [first] = links;
  if (first === undefined || first.component === null)
    return (event === undefined ? null : saidDevice(event.kind, event.attributes)) ?? nameText(null);
  const pod = event === undefined ? null : placedByPod(event.kind, event.attributes, first.component);
  if (pod !== null) return pod;
  if (links.length === 1) return nameText(first.component);
  const indices = links.flatMap(({ component }) => (component === null ? [] : [nameOf(component).index]));
  return `${nameOf(first.component).group} ${indexText(indices)}`;
}

/** How it was seen: `SNMP, within 2 s`, `NVML, reason 0x80`. */
export function how({ links, events }: Group): string {
  const sources = [...new Set(events.map((event) => sourceText(writerOf(event) ?? event.source)))];
  const gap = links.reduce((most, { interval }) => Math.max(most, interval.latestMs - interval.earliestMs), 0);
  const parts = [...sources.slice(0, 3)];
  const reasons = events[0]?.attributes.reasons;
  if (typeof reasons === 'string') parts.push(`reason ${plain(reasons, 20)}`);
  if (gap > POLL_GAP_MS) parts.push(`within ${durationText(Math.round(gap / 1000) * 1000)}`);
  return parts.join(', ');
}

/** Of what the decoders of the kernel's log read, the program that wrote it; null where that is the kernel. */
function writerOf({ source, evidence: [line] }: FaultEvent): string | null {
  return source === 'kernel-log' && line !== undefined && 'text' in line && line.source !== source ? line.source : null;
}

/** When all of it began, by the best single times, and within which bounds. */
export function whenOf({ links }: Group): { timeMs: number; digits: number; earliestMs: number; latestMs: number } {
  let [timeMs, earliestMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [latestMs, digits] = [Number.NEGATIVE_INFINITY, 0];
  for (const link of links) {
    timeMs = Math.min(timeMs, link.timeMs);
    earliestMs = Math.min(earliestMs, link.interval.earliestMs);
    latestMs = Math.max(latestMs, link.interval.latestMs);
    digits = Math.max(digits, link.timeDigits);
  }
  return { timeMs, digits, earliestMs, latestMs };
}
