// Onset: when a condition began, as far as the events of its sources show together.

import type { FaultEvent } from '../../model/event.ts';
import type { Interval } from '../../model/time.ts';

/** No later than the earliest upper bound; what other sources saw of the same moment narrows it from below. */
export function onsetOf(events: readonly FaultEvent[]): Interval {
  let first: FaultEvent | null = null;
  for (const event of events) if (first === null || latestOf(event) < latestOf(first)) first = event;
  if (first === null) return { earliestMs: 0, latestMs: 0 };
  const latestMs = latestOf(first);
  let earliestMs = Math.min(first.interval.earliestMs, latestMs);
  for (const { source, interval } of events) {
    const bound = interval.earliestMs;
    if (source !== first.source && bound > earliestMs && bound <= latestMs) earliestMs = bound;
  }
  return { earliestMs, latestMs };
}

function latestOf(event: FaultEvent): number {
  return Math.min(event.interval.latestMs, event.observedMs);
}
