// Over at: when a cause was over, as far as anything says so.

import type { Facts } from '../../window/facts.ts';

/** States that are reported once, by a line that no other one takes back. */
const STATE = /storm|degraded|stall/;

/** Its clear, or for what takes a moment that moment, ms; null while it lasts, or may. */
export function overAtMs({ endMs, latestClear, kind }: Facts): number | null {
  return latestClear === null && STATE.test(kind) ? null : endMs;
}
