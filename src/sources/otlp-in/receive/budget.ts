// Budget: what requests may hold at once and take in a second, over all connections, so that senders cannot take the host's memory or CPU.

import { Refusal } from '../wire/refusal.ts';

const RETRY_MS = 1000;

export interface BudgetOptions {
  /** Bytes of requests that are being received or read, inflated ones included. */
  readonly mostBytes: number;
  readonly bytesPerSecond: number;
  /** Monotonic ms. */
  readonly now?: () => number;
}

export class Budget {
  readonly #options: BudgetOptions;
  readonly #now: () => number;
  #held = 0;
  /** Bytes that may be read at once: filled by time, at most those of a second or of one full request. */
  #tokens: number;
  #at: number;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#tokens = this.#most;
    this.#at = this.#now();
  }

  get held(): number {
    return this.#held;
  }

  /** Throws a refusal that says when to try again. */
  hold(bytes: number): void {
    if (this.#held + bytes > this.#options.mostBytes)
      throw new Refusal('busy', 'too many requests at once. Send it again a moment later', RETRY_MS);
    this.#held += bytes;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }

  /** Called before `bytes` are decoded; throws a refusal that says when they will do. */
  spend(bytes: number): void {
    const now = this.#now();
    const { bytesPerSecond } = this.#options;
    this.#tokens = Math.min(this.#most, this.#tokens + ((now - this.#at) / 1000) * bytesPerSecond);
    this.#at = now;
    if (bytes > this.#tokens) {
      const waitMs = Math.ceil(((bytes - this.#tokens) / bytesPerSecond) * 1000);
      const text = `more than ${bytesPerSecond} bytes a second come from all senders together. Sample, or send fewer signals`;
      throw new Refusal('busy', text, Math.max(RETRY_MS, waitMs));
    }
    this.#tokens -= bytes;
  }

  get #most(): number {
    return Math.max(this.#options.bytesPerSecond, this.#options.mostBytes);
  }
}
