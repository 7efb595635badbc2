// Pace: how long to wait between two looks, so that all of them take no more than their share of a core.

/** Of one core. */
const SHARE = 0.003;
/** What may be spent ahead, ms of a core: the first look, a job that starts with hundreds of processes. */
const AHEAD_MS = 600;
/** However dear a look is: work is seen within this time. */
const LONGEST_MS = 15_000;

export class Pace {
  readonly #shortestMs: number;
  #savedMs = AHEAD_MS;
  #lastMs: number | null = null;
  #tookMs = 0;

  constructor(shortestMs: number) {
    this.#shortestMs = shortestMs;
  }

  /** After a look that took `tookMs` of processors and ended at `nowMs` of a steady clock; how long to wait, ms. */
  after(tookMs: number, nowMs: number): number {
    const sinceMs = this.#lastMs === null ? 0 : Math.max(0, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    this.#savedMs = Math.min(AHEAD_MS, this.#savedMs + sinceMs * SHARE) - tookMs;
    // One look that took long is not the rule.
    const usualMs = Math.min(tookMs, this.#tookMs);
    this.#tookMs = tookMs;
    const missingMs = usualMs - this.#savedMs;
    return Math.min(Math.max(LONGEST_MS, this.#shortestMs), Math.max(this.#shortestMs, missingMs / SHARE));
  }
}
