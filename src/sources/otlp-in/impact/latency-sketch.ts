// Latency sketch: how long many requests took, in little room; its percentiles are within two percent (as DDSketch does it).

const GAMMA = 1.04;
const LOG_GAMMA = Math.log(GAMMA);
/** A microsecond and eleven days: what lies outside counts as the nearest. */
const LEAST_MS = 1e-3;
const MOST_MS = 1e9;

export class LatencySketch {
  readonly #bins = new Map<number, number>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(ms: number, weight = 1): void {
    const bin = Math.ceil(Math.log(Math.min(Math.max(ms, LEAST_MS), MOST_MS)) / LOG_GAMMA);
    this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + weight);
    this.#count += weight;
  }

  merge(other: LatencySketch): void {
    for (const [bin, count] of other.#bins) this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + count);
    this.#count += other.#count;
  }

  /** Null where it holds nothing. */
  quantile(share: number): number | null {
    let left = share * this.#count;
    let last: number | null = null;
    for (const [bin, count] of [...this.#bins].sort(([a], [b]) => a - b)) {
      last = (2 * GAMMA ** bin) / (GAMMA + 1);
      left -= count;
      if (left <= 0) break;
    }
    return last;
  }
}
