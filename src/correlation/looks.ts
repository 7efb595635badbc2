// Looks: how often an incident was looked at and when last; looks at many at once are counted once for all of them.

/** Looks at all clusters of one family, of whom nothing changed meanwhile. */
export interface SharedLooks {
  count: number;
  /** Never falls. */
  lastMs: number;
}

export class Looks {
  #count = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  #shared: SharedLooks | null = null;
  /** Of the shared ones so many are in `#count` already. */
  #counted = 0;

  get count(): number {
    return this.#count + (this.#shared === null ? 0 : this.#shared.count - this.#counted);
  }

  /** Event time of the last look, ms. */
  get lastMs(): number {
    const { count, lastMs } = this.#shared ?? { count: 0, lastMs: 0 };
    return count > this.#counted ? Math.max(this.#lastMs, lastMs) : this.#lastMs;
  }

  /** A look at it itself; from then on it takes part in `shared`, which may count this look already. */
  look(atMs: number, shared: SharedLooks | null): void {
    this.#lastMs = Math.max(this.lastMs, atMs);
    this.#count = shared !== null && shared === this.#shared ? this.count : this.count + 1;
    this.#shared = shared;
    this.#counted = shared?.count ?? 0;
  }
}
