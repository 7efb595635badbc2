// Delivery: messages of one kind to one receiver, at least once: memory, spool, sender, and what is reported and counted.

import type { Logger } from 'pino';
import { DeliveryQueue } from './delivery-queue.ts';
import type { Backoff } from './send/backoff.ts';
import type { Taken } from './send/outcome.ts';
import { type SendCounts, Sender } from './send/sender.ts';
import type { Transport } from './send/transport.ts';
import type { DiskLane } from './spool/disk-lane.ts';
import { MOST_BYTES } from './spool/frame.ts';
import { Spool } from './spool/spool.ts';
import { nodeFiles, type SpoolFiles } from './spool/spool-files.ts';
import { type DropReason, Trouble, type Wording } from './trouble.ts';

const MEMORY_BYTES = 4 * 1024 * 1024;

/** What all deliveries of a sink share. */
export interface DeliveryCommon {
  /** One for all deliveries of a sink, so that a disk that hangs holds one thread. */
  readonly lane: DiskLane;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly now: () => number;
  readonly files?: SpoolFiles;
  /** Made once for each delivery. */
  readonly backoff?: () => Backoff;
  readonly diskRetryMs?: number;
}

/** What tests of a sink set otherwise. */
export type Tuning = Pick<Partial<DeliveryCommon>, 'backoff' | 'files' | 'diskRetryMs'>;

export interface DeliveryOptions extends DeliveryCommon {
  /** Of the spool: nothing else may be in it. */
  readonly directory: string;
  readonly caps: { readonly maxBytes: number; readonly maxAgeMs: number };
  /**
   * eager: on disk and synced before it is sent, so that no end of the daemon loses it. lazy: to disk only when the
   * receiver does not take it.
   */
  readonly mode: 'eager' | 'lazy';
  readonly transport: Transport;
  readonly wording: Wording;
}

/** Plain numbers since the start, but for the last three, which are as of now. */
export interface DeliveryCounts extends SendCounts {
  readonly droppedRequests: number;
  readonly droppedItems: number;
  readonly waitingRequests: number;
  readonly memoryBytes: number;
  readonly spoolBytes: number;
}

export class Delivery {
  readonly trouble: Trouble;
  readonly #queue: DeliveryQueue;
  readonly #sender: Sender;
  readonly #transport: Transport;
  readonly #now: () => number;
  #dropped = { requests: 0, items: 0 };

  constructor(options: DeliveryOptions) {
    const { directory, caps, mode, lane, transport, wording, logger, now } = options;
    this.#now = now;
    this.#transport = transport;
    this.trouble = new Trouble(wording, directory, logger);
    this.#queue = new DeliveryQueue({
      spool: new Spool({
        directory,
        ...caps,
        files: options.files ?? nodeFiles,
        now,
        onDropped: (reason, messages, items) => this.#drop(reason, messages, items),
      }),
      lane,
      mode,
      maxMemoryBytes: MEMORY_BYTES,
      onDropped: (messages, items) => this.#drop('memory', messages, items),
      onDisk: (error) => this.trouble.disk(error),
      onDiskWorks: () => this.trouble.diskWorks(),
      onDamage: (bytes) => this.trouble.damaged(bytes),
      ...(options.diskRetryMs === undefined ? {} : { diskRetryMs: options.diskRetryMs }),
    });
    this.#sender = new Sender({
      queue: this.#queue,
      transport,
      onOutcome: (outcome) => this.trouble.outcome(outcome),
      ...(options.backoff === undefined ? {} : { backoff: options.backoff() }),
    });
  }

  start(): void {
    this.#sender.start();
  }

  /**
   * Returns at once. Bytes that could not be serialised (undefined) are passed over. `timeMs`: what its age counts from; one
   * that is made again after a restart keeps its `messageId` where it is made of the same bytes with the same time.
   */
  push(bytes: Uint8Array | undefined, items: number, timeMs = this.#now()): void {
    if (bytes === undefined || items === 0) return;
    if (bytes.length > MOST_BYTES) this.#drop('size', 1, items);
    else this.#queue.push({ bytes, items, timeMs });
  }

  /** Resolves when what was pushed is on disk (true) or has to wait in memory (false). */
  flushed(): Promise<boolean> {
    return this.#queue.flushed();
  }

  /** Nothing waits and the receiver takes what it gets. */
  get idle(): boolean {
    return this.trouble.why === null && this.#queue.state().waiting === 0;
  }

  /** Counts and reports what became of a message that the receiver took another way. */
  takenOtherwise(outcome: Taken, items: number): void {
    this.#sender.countTaken(outcome, items);
    this.trouble.outcome(outcome);
  }

  counts(): DeliveryCounts {
    const { memoryBytes, spoolBytes, waiting } = this.#queue.state();
    return {
      ...this.#sender.counts,
      droppedRequests: this.#dropped.requests,
      droppedItems: this.#dropped.items,
      waitingRequests: waiting,
      memoryBytes,
      spoolBytes,
    };
  }

  /** Gives the receiver a moment to take what waits, keeps the rest on disk, and lets go of everything. */
  async stop(graceMs: number): Promise<void> {
    const untilMs = performance.now() + graceMs;
    while (this.trouble.why === null && this.#queue.state().waiting > 0 && performance.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const stopped = this.#sender.stop();
    this.#transport.close();
    await stopped;
    await this.#queue.persist();
    await this.#queue.closeFiles();
  }

  #drop(reason: DropReason, requests: number, items: number): void {
    this.#dropped = { requests: this.#dropped.requests + requests, items: this.#dropped.items + items };
    this.trouble.dropped(reason);
  }
}
