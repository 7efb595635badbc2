// Times: how often something happened, which is not how often it was reported: what two sources say of one fault is one fault.

import type { FaultEvent } from '../../model/event.ts';
import type { Kind } from '../../model/kind.ts';
import type { Condition } from '../belief/condition.ts';

type Counted = Pick<Condition, 'count' | 'events' | 'hearsay'> & Partial<Pick<Condition, 'latestClear'>>;

/** Whoever asks a host again finds it down until it is up: "not responding", and minutes later that it is set down for it. */
const ONCE_UNTIL_OVER: ReadonlySet<Kind> = new Set<Kind>(['host.down']);

/** As often as the source says that reports the most of it. */
export function timesOf({ count, events, hearsay, latestClear = null }: Counted): number {
  if (count <= 1) return count;
  if (latestClear === null && events[0] !== undefined && ONCE_UNTIL_OVER.has(events[0].kind)) return 1;
  if (isOfOne(events, hearsay)) return Math.max(count, counted(events) + counted(hearsay));
  const bySource = new Map<string, number>();
  const byLog = new Map<string, { most: number; readonly logs: Map<string, number> }>();
  let known = 0;
  for (const event of [...events, ...hearsay]) {
    known += event.count;
    const reporter = reporterOf(event);
    const { line, log } = lineOf(event);
    // Several logs of a host may have the same line of the same moment.
    const key = `${reporter}\u0001${momentOf(event)}\u0001${line}`;
    const same = byLog.get(key) ?? { most: 0, logs: new Map<string, number>() };
    byLog.set(key, same);
    const inLog = (same.logs.get(log) ?? 0) + event.count;
    same.logs.set(log, inLog);
    const more = Math.max(0, inLog - same.most);
    same.most += more;
    bySource.set(reporter, (bySource.get(reporter) ?? 0) + more);
  }
  // Of a storm not all events are kept: the others count in full.
  return Math.max(0, ...bySource.values()) + Math.max(0, count - known);
}

/** All have one reporter, as nearly always; false may be wrong. */
function isOfOne(events: readonly FaultEvent[], hearsay: readonly FaultEvent[]): boolean {
  const [first] = events;
  if (first === undefined) return false;
  for (const one of events) if (one !== first && !isOfSame(one, first)) return false;
  return hearsay.length === 0 || hearsay.every((one) => isOfSame(one, first));
}

function isOfSame(a: FaultEvent, b: FaultEvent): boolean {
  if (a.source !== b.source || a.trust !== b.trust || a.attributes.xid !== b.attributes.xid) return false;
  const [one, other] = [a.evidence[0], b.evidence[0]];
  return one === other || (one?.source === other?.source && logOf(a) === logOf(b));
}

function counted(events: readonly FaultEvent[]): number {
  return events.reduce((sum, { count }) => sum + count, 0);
}

/** The kernel and a daemon may write into one log; NVML reports an XID, and besides it that its calls fail. */
function reporterOf({ source, trust, evidence: [line], attributes: { xid = '' } }: FaultEvent): string {
  return `${source} ${trust} ${line?.source ?? ''} ${xid}`;
}

/** Of a line that was written to the second; which moment of it that was may be counted from other lines of its log. */
function momentOf({ timeMs, timeDigits }: FaultEvent): number {
  return timeDigits === 0 ? Math.floor(timeMs / 1000) * 1000 : timeMs;
}

function lineOf(event: FaultEvent): { readonly line: string; readonly log: string } {
  const [first] = event.evidence;
  if (first === undefined || !('text' in first)) return { line: '', log: '' };
  return { line: first.text, log: logOf(event) };
}

/** What is before the number of the line; empty where the source keeps no log. */
function logOf({ evidence: [first] }: FaultEvent): string {
  if (first === undefined || !('place' in first)) return '';
  const { place = '' } = first;
  return place.slice(0, Math.max(0, place.lastIndexOf(':')));
}
