// Eviction: how long a condition is kept after it was over.

import { KINDS, kindInfo } from '../../model/kind.ts';
import { AROUND_MS } from '../explain/ruled-out.ts';
import { LONGEST_REACH_MS, reachMs } from '../graph/cause-graph.ts';
import { isReleasing } from '../graph/kind-roles.ts';
import { type Facts, LONGEST_MS } from './facts.ts';

/** By index of the kind, ms: this is asked at every event. */
const kept = new Float64Array(KINDS.length);
for (const kind of KINDS) {
  // A reset must outlive what it ended; everything is kept as long as "none within 10 min" is said of it.
  kept[kindInfo(kind).index] = isReleasing(kind) ? LONGEST_REACH_MS : Math.max(reachMs(kind), AROUND_MS);
}

/** From when on nothing needs it any more, ms. */
export function evictMs({ endMs, lastMs, kindIndex }: Facts, quietMs: number): number {
  return (endMs ?? lastMs + LONGEST_MS) + (kept[kindIndex] ?? 0) + quietMs;
}
