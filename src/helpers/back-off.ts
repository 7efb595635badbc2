// Back-off: the pause before the next try, doubled at each failure.

/** Doubling further than this reaches any limit. */
const MOST_DOUBLINGS = 30;

/** `doublings`: 0 gives `firstMs`, 1 twice as much, up to `longestMs`. */
export function backOffMs(firstMs: number, doublings: number, longestMs: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(MOST_DOUBLINGS, Math.max(0, doublings)));
}
