// Memory queue: messages on their way to disk or to the receiver, bounded in bytes; the oldest go first.

import type { Message } from './spool/frame.ts';

export class MemoryQueue {
  readonly #maxBytes: number;
  readonly #onDropped: (message: Message) => void;
  #messages: Message[] = [];
  #bytes = 0;
  #claimed: Message | null = null;

  constructor(maxBytes: number, onDropped: (message: Message) => void) {
    this.#maxBytes = maxBytes;
    this.#onDropped = onDropped;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get length(): number {
    return this.#messages.length;
  }

  get claimed(): boolean {
    return this.#claimed !== null;
  }

  push(message: Message): void {
    this.#messages.push(message);
    this.#bytes += message.bytes.length;
    this.#bound();
  }

  /** The oldest message, which stays and is not dropped until it is released. */
  claim(): Message | null {
    this.#claimed = this.#messages[0] ?? null;
    return this.#claimed;
  }

  release(done: boolean): void {
    const claimed = this.#claimed;
    this.#claimed = null;
    if (!done || claimed === null || this.#messages[0] !== claimed) return;
    this.#messages.shift();
    this.#bytes -= claimed.bytes.length;
  }

  /** Takes all out, in order. */
  take(): Message[] {
    const taken = this.#messages;
    this.#messages = [];
    this.#bytes = 0;
    return taken;
  }

  /** Puts what `take` gave back in front. */
  giveBack(messages: readonly Message[]): void {
    this.#messages = [...messages, ...this.#messages];
    this.#bytes += messages.reduce((sum, message) => sum + message.bytes.length, 0);
    this.#bound();
  }

  #bound(): void {
    while (this.#bytes > this.#maxBytes) {
      const at = this.#claimed !== null && this.#messages[0] === this.#claimed ? 1 : 0;
      const [oldest] = this.#messages.splice(at, 1);
      if (oldest === undefined) return;
      this.#bytes -= oldest.bytes.length;
      this.#onDropped(oldest);
    }
  }
}
