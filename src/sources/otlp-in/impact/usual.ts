// Usual: what a number of a service was over the last minutes: its middle, and how high it goes now and then without being a fault.

import { upperMedian } from '../../../helpers/median.ts';

const KEPT = 60;
/** What is judged now must not have become usual already; a detector waits for three. */
const BEHIND = 6;
const LEAST = 6;
/** Where one request in a hundred is always slow, the slowest percent is long in every other window. */
const NOW_AND_THEN = 0.95;

export class Usual {
  readonly #pending: number[] = [];
  readonly #known: number[] = [];

  /** Null until enough is known. */
  get median(): number | null {
    return this.#known.length < LEAST ? null : upperMedian(this.#known);
  }

  /** The value by that of the highest one in twenty; null until enough is known. Learns it for later. */
  take(value: number): number | null {
    const sorted = [...this.#known].sort((a, b) => a - b);
    const high = sorted[Math.floor(NOW_AND_THEN * (sorted.length - 1))];
    this.#pending.push(value);
    if (this.#pending.length > BEHIND) this.#known.push(this.#pending.shift() ?? value);
    if (this.#known.length > KEPT) this.#known.shift();
    return high === undefined || sorted.length < LEAST || high === 0 ? null : value / high;
  }
}
