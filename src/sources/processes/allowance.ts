// Allowance: a share of a core that something may take, with some of it ahead.

export class Allowance {
  readonly #share: number;
  readonly #aheadMs: number;
  #leftMs: number;
  #lastMs: number | null = null;

  /** `share`: of one core. `aheadMs`: what may be spent at once, ms of a core. */
  constructor(share: number, aheadMs: number) {
    this.#share = share;
    this.#aheadMs = aheadMs;
    this.#leftMs = aheadMs;
  }

  /** Whether anything is left at `nowMs` of a steady clock. */
  has(nowMs: number): boolean {
    const sinceMs = this.#lastMs === null ? 0 : Math.max(0, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    this.#leftMs = Math.min(this.#aheadMs, this.#leftMs + sinceMs * this.#share);
    return this.#leftMs > 0;
  }

  spend(tookMs: number): void {
    this.#leftMs -= tookMs;
  }
}
