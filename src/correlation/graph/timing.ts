// Timing: whether and how well two intervals fit "this before that", physical and detection delays apart.

import type { Interval } from '../../model/time.ts';
import type { CauseRow } from './cause-graph.ts';

export interface Timing {
  /** Probability that the cause began first, when each began anywhere in its interval; 0 to 1. */
  readonly causeFirst: number;
  /** The clocks leave the order open. */
  readonly orderUnknown: boolean;
  /** How long after the cause the effect began, ms: after its last occurrence where each one can bring the effect about. */
  readonly lagMs: number;
  /** 0 to 1: 1 for an effect that surely and promptly follows. */
  readonly factor: number;
}

/** What order alone is worth: an effect seen first can still be one by the detection delays of the row. */
const BY_DELAY_ONLY = 0.6;
/** What an effect at the end of the row's lag loses against a prompt one. */
const LATE_LOSS = 0.3;

/** P(a ≤ b) for a and b uniform in their intervals; an instant is an interval of no length. */
export function probabilityBefore(a: Interval, b: Interval): number {
  if (a.latestMs <= b.earliestMs) return 1;
  if (b.latestMs < a.earliestMs) return 0;
  const widthA = a.latestMs - a.earliestMs;
  const widthB = b.latestMs - b.earliestMs;
  if (widthA === 0) return (b.latestMs - a.latestMs) / widthB;
  // Mean over b of the share of a before it: integral of a clamped ramp.
  const ramp = (t: number): number => {
    const x = Math.min(Math.max(t - a.earliestMs, 0), widthA);
    return (x * x) / (2 * widthA) + Math.max(t - a.latestMs, 0);
  };
  if (widthB === 0) return (b.latestMs - a.earliestMs) / widthA;
  return (ramp(b.latestMs) - ramp(b.earliestMs)) / widthB;
}

/**
 * Null when no pair of instants within both intervals, widened by the row's detection delays, satisfies its lag.
 * `causeEndMs` is null while the cause lasts; `causeAgainMs`: when it is known to have happened last.
 */
export function timing(
  row: CauseRow,
  cause: Interval,
  causeEndMs: number | null,
  effect: Interval,
  causeAgainMs = cause.latestMs,
): Timing | null {
  const lastMs = row.eachTime ? Math.max(cause.latestMs, Math.min(causeAgainMs, effect.earliestMs)) : cause.latestMs;
  const causeTo = row.whileActive ? Math.max(causeEndMs ?? Number.POSITIVE_INFINITY, cause.latestMs) : lastMs;
  if (effect.latestMs - (cause.earliestMs - row.causeLateMs) < row.lagMinMs) return null;
  if (effect.earliestMs - row.effectLateMs - causeTo > row.lagMaxMs) return null;
  const causeFirst = probabilityBefore(cause, effect);
  const lagMs = Math.max(0, effect.earliestMs - lastMs);
  const late = LATE_LOSS * Math.min(1, lagMs / Math.max(1, row.lagMaxMs));
  return {
    causeFirst,
    orderUnknown: cause.latestMs > effect.earliestMs,
    lagMs,
    factor: (BY_DELAY_ONLY + (1 - BY_DELAY_ONLY) * causeFirst) * (1 - late),
  };
}
