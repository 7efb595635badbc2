// Onset: when a condition began, as far as the events of its sources show together.

import type { FaultEvent } from '../../model/event.ts';
import type { Interval } from '../../model/time.ts';

/** No later than the earliest upper bound; what other sources saw of the same moment narrows it from below. */
export function onsetOf(events: readonly FaultEvent[]): Interval {
  let first: FaultEvent | null = null;
  for (const event of events) if (first === null || latestOf(event) < latestOf(first)) first = event;
  if (first === null) return { earliestMs: 0, latestMs: 0 };
  const latestMs = latestOf(first);
  let earliestMs = Math.min(earliestOf(first), latestMs);
  for (const event of events) {
    const bound = earliestOf(event);
    if (event.source !== first.source && bound > earliestMs && bound <= latestMs) earliestMs = bound;
  }
  return { earliestMs, latestMs };
}

function latestOf({ interval, observedMs }: FaultEvent): number {
  return Math.min(interval.latestMs, observedMs);
}

/** A clock that puts an event after its arrival is ahead by that much at least, at its lower bound as at its upper. */
function earliestOf({ interval, observedMs }: FaultEvent): number {
  return interval.earliestMs - Math.max(0, interval.latestMs - observedMs);
}
