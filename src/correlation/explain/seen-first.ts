// Seen first: whether a consequence is a herald of its cause, which one log of one host tells without a doubt of clocks.

import type { Edge } from '../belief/condition.ts';
import { hostOf } from '../topology/place.ts';

/** Both are of one source on one host, and the effect's time is wholly before its cause's. */
export function isSeenFirst({ cause, effect }: Edge): boolean {
  if (effect.onset.latestMs >= cause.onset.earliestMs || effect.first.source !== cause.first.source) return false;
  const [from, to] = [cause.component, effect.component];
  const host = from === null ? null : hostOf(from, '');
  return host !== null && to !== null && hostOf(to, '') === host;
}
