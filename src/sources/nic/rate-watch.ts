// When a port's link came back slower than it was before this run; what changes within the run its detector sees. Pure.

import type { Interval } from '../../model/time.ts';

/** A link that trains with fewer lanes or a lower speed loses at least half. */
const SLOWER = 0.9;
const RESTORED = 0.95;
/** Readings in a row: links train in steps after a start. */
const READS = 3;

export interface RateEdge {
  readonly state: 'onset' | 'clear';
  readonly interval: Interval;
  /** bit/s */
  readonly before: number;
  readonly after: number;
}

export class RateWatch {
  /** bit/s of an earlier run; null once it was reached, or where none is known. */
  #before: number | null;
  #slow = 0;
  #slower: { readonly earliestMs: number } | null = null;
  #reported = false;

  constructor(before: number | null) {
    this.#before = before;
  }

  /** False while more readings decide. */
  get settled(): boolean {
    return this.#before === null || this.#reported || this.#slow === 0;
  }

  update(rate: number, timeMs: number): RateEdge | null {
    const before = this.#before;
    if (before === null) return null;
    if (rate >= RESTORED * before) {
      this.#before = null;
      if (!this.#reported) return null;
      return { state: 'clear', interval: { earliestMs: timeMs, latestMs: timeMs }, before, after: rate };
    }
    if (rate >= SLOWER * before || this.#reported) return null;
    this.#slower ??= { earliestMs: timeMs };
    this.#slow += 1;
    if (this.#slow < READS) return null;
    this.#reported = true;
    return { state: 'onset', interval: { ...this.#slower, latestMs: timeMs }, before, after: rate };
  }
}
