// Delivery queue: messages from the moment they are made until they are sent: memory first, disk behind it.

import { MemoryQueue } from './memory-queue.ts';
import type { DiskLane } from './spool/disk-lane.ts';
import type { Message } from './spool/frame.ts';
import type { Spool, Spooled } from './spool/spool.ts';

export interface DeliveryQueueOptions {
  readonly spool: Spool;
  readonly lane: DiskLane;
  /**
   * eager: on disk and synced before it is sent, so that no end of the daemon loses it. lazy: to disk only when the
   * receiver does not take it.
   */
  readonly mode: 'eager' | 'lazy';
  readonly maxMemoryBytes: number;
  readonly onDropped: (messages: number, items: number) => void;
  readonly onDisk: (error: unknown) => void;
  readonly onDiskWorks: () => void;
  readonly onDamage: (bytes: number) => void;
  /** How long after a failure the disk is left alone. */
  readonly diskRetryMs?: number;
}

/** Taking up a day's worth of messages reads and checks them all. */
const OPEN_MS = 60_000;

export interface Taken {
  readonly message: Message;
  readonly spooled: Spooled | null;
}

export class DeliveryQueue {
  readonly #options: DeliveryQueueOptions;
  readonly #memory: MemoryQueue;
  readonly #abort = new AbortController();
  /** Null until the disk is used for the first time; meanwhile messages wait in memory. */
  #opening: Promise<void> | null = null;
  #opened = false;
  #failedAt: number | null = null;
  #flushing: Promise<void> | null = null;
  /** What is being written and the memory queue no longer counts. */
  #inFlight = { messages: 0, bytes: 0 };
  #behind = false;
  #wake: (() => void) | null = null;

  constructor(options: DeliveryQueueOptions) {
    this.#options = options;
    this.#memory = new MemoryQueue(options.maxMemoryBytes, (message) => options.onDropped(1, message.items));
  }

  state(): { memoryBytes: number; spoolBytes: number; waiting: number } {
    const { spool } = this.#options;
    return {
      memoryBytes: this.#memory.bytes + this.#inFlight.bytes,
      spoolBytes: spool.bytes,
      waiting: this.#memory.length + this.#inFlight.messages + spool.waiting,
    };
  }

  /** Takes up what an earlier run left; what it left may be much and takes its time. Never rejects. */
  async open(): Promise<void> {
    this.#opening ??= this.#open();
    await this.#opening;
  }

  /** Returns at once; the oldest messages make room where too many wait for the disk. */
  push(message: Message): void {
    this.#memory.push(message);
    if (this.#wants()) void this.#flush();
    this.#wakeUp();
  }

  /** The receiver does not take messages (true), or takes them again: decides whether a lazy queue uses the disk. */
  behind(yes: boolean): void {
    this.#behind = yes;
    if (this.#wants()) void this.#flush();
  }

  /** The oldest message; waits until there is one. Null once the queue is closed. */
  async next(): Promise<Taken | null> {
    await this.open();
    while (!this.#abort.signal.aborted) {
      await this.#flushing;
      if (this.#wants()) await this.#flush();
      const spooled = await this.#peek();
      if (spooled !== null) return { message: spooled.message, spooled };
      if (this.#memory.length > 0 && (this.#options.mode === 'lazy' || this.#failedAt !== null)) {
        const message = this.#memory.claim();
        if (message !== null) return { message, spooled: null };
      }
      if (this.#memory.length === 0) await this.#woken();
    }
    return null;
  }

  /** Ends what `next` gave: it was sent or given up (done), or stays the oldest. */
  async end(taken: Taken, done: boolean): Promise<void> {
    if (taken.spooled === null) {
      this.#memory.release(done);
      if (this.#wants()) void this.#flush();
      return;
    }
    if (!done) return;
    this.#options.spool.sent(taken.spooled);
    await this.#onDisk((spool) => spool.settle());
  }

  /** Resolves when what was pushed before is on disk (true), or waits in memory (false). */
  async flushed(): Promise<boolean> {
    await this.#flushing;
    await this.#flushing; // what was pushed during one is in the next
    return this.#memory.length === 0 && this.#failedAt === null;
  }

  /** Puts everything on disk that is in memory, whatever the mode. Never rejects. */
  async persist(): Promise<void> {
    await this.open();
    await this.#flushing;
    this.#memory.release(false);
    if (this.#memory.length > 0) await this.#flush();
  }

  /** `next` resolves with null from now on. */
  close(): void {
    this.#abort.abort();
    this.#wakeUp();
  }

  async closeFiles(): Promise<void> {
    await this.#options.lane.run(() => this.#options.spool.close()).catch(() => undefined);
  }

  #wants(): boolean {
    const may = this.#opened || this.#failedAt !== null;
    if (!may || this.#memory.length === 0 || this.#flushing !== null || this.#memory.claimed) return false;
    if (this.#resting()) return false;
    return this.#options.mode === 'eager' || this.#behind || this.#memory.bytes > this.#options.maxMemoryBytes / 2;
  }

  #resting(): boolean {
    return this.#failedAt !== null && performance.now() - this.#failedAt < this.#retryMs();
  }

  #retryMs(): number {
    return this.#options.diskRetryMs ?? 5_000;
  }

  #flush(): Promise<void> {
    const messages = this.#memory.take();
    this.#inFlight = {
      messages: messages.length,
      bytes: messages.reduce((sum, message) => sum + message.bytes.length, 0),
    };
    const flushing = this.#onDisk((spool) => spool.append(messages, this.#options.mode === 'eager')).then((written) => {
      this.#inFlight = { messages: 0, bytes: 0 };
      if (written === null) this.#memory.giveBack(messages);
      this.#flushing = null;
      if (this.#wants()) void this.#flush();
      this.#wakeUp();
    });
    this.#flushing = flushing;
    return flushing;
  }

  async #peek(): Promise<Spooled | null> {
    if (this.#resting()) return null;
    return (await this.#onDisk((spool) => spool.peek()))?.value ?? null;
  }

  async #open(): Promise<void> {
    await this.#attempt(OPEN_MS, async () => undefined);
  }

  /** Null where the disk failed or hung. */
  #onDisk<T>(work: (spool: Spool) => Promise<T>): Promise<{ value: T } | null> {
    return this.#attempt(undefined, work);
  }

  async #attempt<T>(deadlineMs: number | undefined, work: (spool: Spool) => Promise<T>): Promise<{ value: T } | null> {
    const { lane, spool, onDisk, onDiskWorks, onDamage } = this.#options;
    try {
      const value = await lane.run(async () => {
        if (!this.#opened) {
          const damaged = await spool.open();
          if (damaged > 0) onDamage(damaged);
        }
        this.#opened = true;
        return await work(spool);
      }, deadlineMs);
      if (this.#failedAt !== null) onDiskWorks();
      this.#failedAt = null;
      return { value };
    } catch (error) {
      this.#failedAt = performance.now();
      onDisk(error);
      return null;
    }
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = null;
  }

  /** Until something is pushed, the queue closes, or a failed disk is worth another look. */
  async #woken(): Promise<void> {
    if (this.#abort.signal.aborted) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (this.#failedAt !== null) timer = setTimeout(resolve, this.#retryMs()).unref();
    });
    clearTimeout(timer);
  }
}
