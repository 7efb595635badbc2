// Pipeline: everything behind the encoders for one signal — queue, spool, sender, what is told and counted.

import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Signal } from '../../config/otel-environment.ts';
import type { OtlpSpoolCaps, OtlpTarget } from '../../config/otlp-config.ts';
import type { DiskLane } from './queue/disk-lane.ts';
import { SignalQueue } from './queue/signal-queue.ts';
import { Spool } from './queue/spool.ts';
import { nodeFiles, type SpoolFiles } from './queue/spool-files.ts';
import type { Backoff } from './send/backoff.ts';
import { GRPC_PATHS, GrpcTransport } from './send/grpc-transport.ts';
import { HttpTransport } from './send/http-transport.ts';
import { type SendCounts, Sender } from './send/sender.ts';
import type { Transport } from './send/transport.ts';
import { Trouble } from './trouble.ts';

const MEMORY_BYTES = 4 * 1024 * 1024;

export interface PipelineOptions {
  readonly signal: Signal;
  readonly target: OtlpTarget;
  readonly caps: OtlpSpoolCaps;
  /** Folder of all signals' spools. */
  readonly directory: string;
  readonly lane: DiskLane;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly now: () => number;
  readonly userAgent: string;
  readonly files?: SpoolFiles;
  /** Made once a signal. */
  readonly backoff?: () => Backoff;
  readonly diskRetryMs?: number;
}

/** Plain numbers since the start, but for the last three, which are as of now. */
export interface SignalCounts extends SendCounts {
  readonly droppedRequests: number;
  readonly droppedItems: number;
  readonly waitingRequests: number;
  readonly memoryBytes: number;
  readonly spoolBytes: number;
}

export class Pipeline {
  readonly trouble: Trouble;
  readonly #queue: SignalQueue;
  readonly #sender: Sender;
  readonly #transport: Transport;
  readonly #now: () => number;
  #dropped = { requests: 0, items: 0 };

  constructor(options: PipelineOptions) {
    const { signal, target, caps, lane, now, userAgent } = options;
    const directory = join(options.directory, signal);
    this.#now = now;
    this.trouble = new Trouble(signal, target.endpoint, directory, options.logger);
    const spool = new Spool({
      directory,
      ...caps,
      files: options.files ?? nodeFiles,
      now,
      onDropped: (reason, requests, items) => this.#drop(DROPPED[reason], requests, items),
    });
    this.#queue = new SignalQueue({
      spool,
      lane,
      mode: signal === 'metrics' ? 'lazy' : 'eager',
      maxMemoryBytes: MEMORY_BYTES,
      onDropped: (requests, items) => this.#drop('too much waits in memory', requests, items),
      onDisk: (error) => this.trouble.disk(error),
      onDiskWorks: () => this.trouble.diskWorks(),
      onDamage: (bytes) => this.trouble.damaged(bytes),
      ...(options.diskRetryMs === undefined ? {} : { diskRetryMs: options.diskRetryMs }),
    });
    this.#transport =
      target.protocol === 'grpc'
        ? new GrpcTransport(target, GRPC_PATHS[signal], userAgent)
        : new HttpTransport(target, userAgent);
    this.#sender = new Sender({
      queue: this.#queue,
      transport: this.#transport,
      onAnswer: (answer) => this.trouble.answer(answer),
      ...(options.backoff === undefined ? {} : { backoff: options.backoff() }),
    });
  }

  start(): void {
    this.#sender.start();
  }

  push(bytes: Uint8Array | undefined, items: number): void {
    if (bytes !== undefined && items > 0) this.#queue.push({ bytes, items, timeMs: this.#now() });
  }

  /** Resolves when what was pushed is on disk (true) or has to wait in memory (false). */
  flushed(): Promise<boolean> {
    return this.#queue.flushed();
  }

  counts(): SignalCounts {
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

  /** Gives the collector a moment to take what waits, keeps the rest on disk, and lets go of everything. */
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

  #drop(reason: string, requests: number, items: number): void {
    this.#dropped = { requests: this.#dropped.requests + requests, items: this.#dropped.items + items };
    this.trouble.dropped(reason);
  }
}

const DROPPED = {
  cap: 'the cap of otlp.spool in bytes is reached',
  age: 'they are older than otlp.spool allows',
  damage: 'they are damaged on disk',
} as const;
