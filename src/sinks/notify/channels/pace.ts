// Pace: no more messages a minute than a receiver allows; a few may go at once.

import { setTimeout as sleep } from 'node:timers/promises';

export class Pace {
  readonly #everyMs: number;
  readonly #most: number;
  readonly #now: () => number;
  #abort = new AbortController();
  #tokens: number;
  #atMs: number;

  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#everyMs = 60_000 / perMinute;
    this.#most = Math.max(1, Math.floor(perMinute / 6));
    this.#tokens = this.#most;
    this.#now = now;
    this.#atMs = now();
  }

  /** Resolves when the next message may go; false where it was closed meanwhile. */
  async turn(): Promise<boolean> {
    const nowMs = this.#now();
    this.#tokens = Math.min(this.#most, this.#tokens + (nowMs - this.#atMs) / this.#everyMs) - 1;
    this.#atMs = nowMs;
    if (this.#tokens >= 0) return true;
    const { signal } = this.#abort;
    return await sleep(-this.#tokens * this.#everyMs, true, { signal, ref: false }).catch(() => false);
  }

  /** What waits for its turn stops waiting; later turns count again. */
  close(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
  }
}
