// Calibration: what a sum of parts turned out to be worth in scenarios with a known answer; monotone maps kept as data.

import catalog from '#catalog/calibration.json' with { type: 'json' };
import { hasRole, type Kind, kindInfo } from '../../model/kind.ts';
import { isWork } from '../graph/doubts/doubts.ts';

/** Where a map goes through: a sum of parts of `at` is reported as `reported`, both 0 to 1. */
export interface Knot {
  readonly at: number;
  readonly reported: number;
}

/** What a root is said to have brought about: each is right as often as it is, whatever the parts come to. */
export type Followed = 'work' | 'hardware' | 'nothing' | 'harmless';
export type Maps = Readonly<Record<Followed, { readonly knots: readonly Knot[] }>>;

/** How far below the lowest knot its step fades to nothing: what was never seen is left as it is. */
const FADE = 0.15;

/**
 * Something that the work suffered, another fault of the hardware, or nothing but the root, at however many places;
 * `harmless`: nothing from what alone is often no fault.
 */
export function followed(root: Kind, others: Iterable<Kind>): Followed {
  let found: Followed = hasRole(root, 'often_harmless') ? 'harmless' : 'nothing';
  let last = root;
  for (const kind of others) {
    // Of a kind most come one after the other.
    if (kind === root || kind === last) continue;
    last = kind;
    if (isWork({ kindIndex: kindInfo(kind).index })) return 'work';
    found = 'hardware';
  }
  return found;
}

/** Hundredths in, hundredths out, by the map of what followed. */
export function calibrate(hundredths: number, what: Followed, maps: Maps = catalog.maps): number {
  return through(hundredths, maps[what].knots);
}

/** Linear between knots, no change well below the first one, level above the last: more evidence of the kind says no more. */
export function through(hundredths: number, knots: readonly Knot[]): number {
  const at = hundredths / 100;
  const [first, last] = [knots[0], knots.at(-1)];
  if (first === undefined || last === undefined) return hundredths;
  const from = Math.max(0, Math.min(first.at, first.reported) - FADE);
  if (at <= from) return hundredths;
  if (at >= last.at) return Math.round(100 * last.reported);
  const after = knots.findIndex((knot) => knot.at > at);
  const low = after === 0 ? { at: from, reported: from } : knots[after - 1];
  const high = knots[after];
  if (low === undefined || high === undefined) return hundredths;
  return Math.round(100 * (low.reported + ((at - low.at) / (high.at - low.at)) * (high.reported - low.reported)));
}
