// Job clock: what the events of a job's log report of its steps — when the last one ended, and how long one takes.

import type { FaultEvent } from '../../../model/event.ts';
import { eventTime } from '../../window/event-order.ts';
import type { Facts } from '../../window/facts.ts';

export interface JobClock {
  /** End of the last step before the effect, ms. */
  readonly lastStepMs: number;
  /** What a step takes, ms. */
  readonly stepMs: number;
}

const SLOW: ReadonlySet<string> = new Set(['job.throughput_drop', 'job.straggler', 'service.degraded']);

export function isSlowness({ kind }: Facts): boolean {
  return SLOW.has(kind);
}

/** Null where nothing is known of its steps: of several events of the same effect, by time of steps and by rate, one may know them. */
export function jobClock(effect: Facts): JobClock | null {
  for (const event of effect.events) {
    const clock = clockOf(event, effect);
    if (clock !== null) return clock;
  }
  return null;
}

function clockOf(event: FaultEvent, effect: Facts): JobClock | null {
  const { since_step_ms: since, step_ms: step, silent_ms: silent, usual_step_ms: usual } = event.attributes;
  if (isPositive(since) && isPositive(step)) return { lastStepMs: eventTime(event) - since, stepMs: step };
  // Of a job that hangs the last step is where it began to.
  if (isPositive(silent) && isPositive(usual)) return { lastStepMs: effect.onset.earliestMs, stepMs: usual };
  if (!isSlowness(effect)) return null;
  const taken = stepsMs(event);
  if (taken === null) return null;
  // A step is known to be slow when it ends: the last good one had ended when it began.
  const { earliestMs, latestMs } = effect.onset;
  return { lastStepMs: Math.min(earliestMs, latestMs - taken.slowMs), stepMs: taken.usualMs };
}

/** How long a step takes, as usual and now; null where the numbers are not of that. */
function stepsMs({ attributes }: FaultEvent): { usualMs: number; slowMs: number } | null {
  const { before, after, unit } = attributes;
  if (!isPositive(before) || !isPositive(after) || after <= before) return null;
  if (unit === 's') return { usualMs: before * 1000, slowMs: after * 1000 };
  return unit === 'ms' ? { usualMs: before, slowMs: after } : null;
}

/** What requests meet: near the limit of a service they queue, so that a few percent less can multiply these. */
const OF_REQUESTS = /latency|error_rate|request_rate/;

/** How many times as long a step takes as before; null where the numbers are not of speed. */
export function slowedBy({ first }: Facts): number | null {
  const { quantity, before, after } = first.attributes;
  if (typeof quantity === 'string' && OF_REQUESTS.test(quantity)) return null;
  if (!isPositive(before) || !isPositive(after)) return null;
  return Math.max(before / after, after / before);
}

export function isPositive(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value);
}
