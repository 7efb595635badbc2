// Calibration: what a sum of parts turned out to be worth in scenarios with a known answer; a monotone map kept as data.

import catalog from '#catalog/calibration.json' with { type: 'json' };

/** Where the map goes through: a sum of parts of `at` is reported as `reported`, both 0 to 1. */
export interface Knot {
  readonly at: number;
  readonly reported: number;
}

/** How far below the lowest knot its step fades to nothing: what was never seen is left as it is. */
const FADE = 0.15;

/** Hundredths in, hundredths out. Linear between knots, from no change below the first one to none at 1. */
export function calibrate(hundredths: number, knots: readonly Knot[] = catalog.knots): number {
  const at = hundredths / 100;
  const [first] = knots;
  const from = Math.max(0, Math.min(first?.at ?? 1, first?.reported ?? 1) - FADE);
  if (first === undefined || at <= from || at >= 1) return hundredths;
  const all = [{ at: from, reported: from }, ...knots, { at: 1, reported: 1 }];
  const after = all.findIndex((knot) => knot.at > at);
  const [low, high] = [all[after - 1], all[after]];
  if (low === undefined || high === undefined) return hundredths;
  const reported = low.reported + ((at - low.at) / (high.at - low.at)) * (high.reported - low.reported);
  return Math.round(100 * bounded(reported, at, catalog.most));
}

/** `reported` where it is below the bound; above it nothing is added to what the evidence came to. */
export function bounded(reported: number, at: number, most: number): number {
  return Math.max(Math.min(reported, most), Math.min(at, reported));
}
