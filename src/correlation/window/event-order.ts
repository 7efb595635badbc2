// Event order: which of two events came first, and which of two forms of one event is the newer.

import type { FaultEvent } from '../../model/event.ts';

/** Order of events in time; of two at one time a clear comes last. Independent of arrival. */
export function byTime(a: FaultEvent, b: FaultEvent): number {
  const time = eventTime(a) - eventTime(b);
  if (time !== 0) return time;
  const state = Number(a.state === 'clear') - Number(b.state === 'clear');
  if (state !== 0) return state;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

/** Best single time; no event is later than its arrival, whatever its writer says. */
export function eventTime(event: FaultEvent): number {
  return Math.min(event.timeMs, event.observedMs);
}

/** An event of several repeats has the time of the last one. */
export function lastTimeOf(event: FaultEvent): number {
  const { last_ms: last } = event.attributes;
  return Math.max(eventTime(event), typeof last === 'number' && Number.isFinite(last) ? last : 0);
}

/** The later of two forms of one event: the higher count, then the later arrival, then the one with more detail. */
export function supersedes(next: FaultEvent, before: FaultEvent): boolean {
  const by =
    next.count - before.count ||
    next.observedMs - before.observedMs ||
    next.evidence.length - before.evidence.length ||
    Object.keys(next.attributes).length - Object.keys(before.attributes).length;
  return by > 0;
}
