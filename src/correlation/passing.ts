// Passing: a slow stretch of a few seconds with no word of anything. Only when it lasts does it open an incident.

import type { Kind } from '../model/kind.ts';
import type { Cluster } from './belief/condition.ts';

/** A file server that hesitates, a neighbour's burst, a collection of garbage: over before anyone could look. */
const PASSES_MS = 10_000;
const SLOW: ReadonlySet<Kind> = new Set<Kind>(['job.throughput_drop', 'job.straggler']);

/**
 * When slowness alone has lasted, ms; null where it is not alone, or is not to be waited for. What is read late ends
 * late too. `Infinity`: it is over and did not last.
 */
export function lastsFromMs({ members }: Pick<Cluster, 'members'>): number | null {
  let fromMs: number | null = null;
  let over = true;
  for (const { condition } of members) {
    const { kind, onset, endMs, first, count } = condition;
    if (!SLOW.has(kind) || count > 1) return null;
    if (endMs === null || endMs - onset.earliestMs >= PASSES_MS) over = false;
    const lateMs = Math.max(0, first.observedMs - onset.latestMs);
    fromMs = Math.min(fromMs ?? Number.POSITIVE_INFINITY, onset.earliestMs + PASSES_MS + lateMs);
  }
  return over && fromMs !== null ? Number.POSITIVE_INFINITY : fromMs;
}
