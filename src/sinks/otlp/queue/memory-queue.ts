// Memory queue: requests on their way to disk or to the collector, bounded in bytes; the oldest go first.

import type { Entry } from './frame.ts';

export class MemoryQueue {
  readonly #maxBytes: number;
  readonly #onDropped: (entry: Entry) => void;
  #entries: Entry[] = [];
  #bytes = 0;
  #claimed: Entry | null = null;

  constructor(maxBytes: number, onDropped: (entry: Entry) => void) {
    this.#maxBytes = maxBytes;
    this.#onDropped = onDropped;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get length(): number {
    return this.#entries.length;
  }

  get claimed(): boolean {
    return this.#claimed !== null;
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
    this.#bytes += entry.bytes.length;
    this.#bound();
  }

  /** The oldest entry, which stays and is spared until it is released. */
  claim(): Entry | null {
    this.#claimed = this.#entries[0] ?? null;
    return this.#claimed;
  }

  release(done: boolean): void {
    const claimed = this.#claimed;
    this.#claimed = null;
    if (!done || claimed === null || this.#entries[0] !== claimed) return;
    this.#entries.shift();
    this.#bytes -= claimed.bytes.length;
  }

  /** Takes all out, in order. */
  take(): Entry[] {
    const taken = this.#entries;
    this.#entries = [];
    this.#bytes = 0;
    return taken;
  }

  /** Puts what `take` gave back in front. */
  giveBack(entries: readonly Entry[]): void {
    this.#entries = [...entries, ...this.#entries];
    this.#bytes += entries.reduce((sum, entry) => sum + entry.bytes.length, 0);
    this.#bound();
  }

  #bound(): void {
    while (this.#bytes > this.#maxBytes) {
      const at = this.#claimed !== null && this.#entries[0] === this.#claimed ? 1 : 0;
      const [oldest] = this.#entries.splice(at, 1);
      if (oldest === undefined) return;
      this.#bytes -= oldest.bytes.length;
      this.#onDropped(oldest);
    }
  }
}
