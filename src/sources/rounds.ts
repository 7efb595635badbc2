// Rounds of a source that looks again and again: one after the other with a rest between, until it is stopped.

import { setTimeout as sleep } from 'node:timers/promises';

export class Rounds {
  readonly #pauseMs: number;
  readonly #stop = new AbortController();

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  get stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Resolves once stopped and the round at work is over; a round that throws is handed to `failed`, and the next one comes. */
  async run(round: () => Promise<void>, failed: (error: unknown) => void): Promise<void> {
    while (!this.stopped) {
      await round().catch(failed);
      await sleep(this.#pauseMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }

  stop(): void {
    this.#stop.abort();
  }
}
