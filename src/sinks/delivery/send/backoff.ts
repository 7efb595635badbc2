// Back-off of a sender: doubled at each failure, with jitter, so that a fleet does not come at once, and as the server asks.

import { backOffMs } from '../../../helpers/back-off.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** A server may ask for more, but not for so long that nothing is ever sent. */
const LONGEST_ASKED_MS = 300_000;
const LEAST_MS = 50;
/** A server that always asks for less than the own wait ("come back before now") is believed this often in a row. */
const SHORT_WAITS = 3;

export class Backoff {
  readonly #random: () => number;
  readonly #firstMs: number;
  readonly #longestMs: number;
  #failures = 0;

  constructor(random: () => number = Math.random, firstMs = FIRST_MS, longestMs = LONGEST_MS) {
    this.#random = random;
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
  }

  /** Milliseconds to wait now: never less than the server asked for. */
  next(askedMs: number | null): number {
    const full = backOffMs(this.#firstMs, this.#failures, this.#longestMs);
    this.#failures = Math.min(this.#failures + 1, 16);
    const own = full * (0.5 + this.#random() / 2);
    if (askedMs === null) return own;
    const least = this.#failures > SHORT_WAITS ? own : LEAST_MS;
    const asked = Math.min(Math.max(askedMs, least), LONGEST_ASKED_MS);
    return asked * (1 + this.#random() / 10);
  }

  /** The longest wait, for a receiver that only an operator can make take anything. */
  longest(): number {
    this.#failures += 1;
    return this.#longestMs * (1 + this.#random());
  }

  reset(): void {
    this.#failures = 0;
  }
}
