// Sender: takes the oldest message, sends it until it is taken or refused for good, then the next; at least once.

import type { DeliveryQueue } from '../delivery-queue.ts';
import type { Message } from '../spool/frame.ts';
import { Backoff } from './backoff.ts';
import { isTaken, type Outcome, type Taken } from './outcome.ts';
import type { Transport } from './transport.ts';

/** Smaller ones may lie in a buffer with others. */
const LARGE = 65_536;

export interface SendCounts {
  /** Requests that were taken, and the items in them without the rejected ones. */
  sentRequests: number;
  sentItems: number;
  sentBytes: number;
  /** Requests among the sent ones of which the receiver rejected items. */
  partialRequests: number;
  /** Tries after which a request had to be sent again. */
  retries: number;
  /** Items that the receiver rejected inside a request that it took. */
  rejectedItems: number;
  /** Requests and items that the receiver refused for good. */
  refusedRequests: number;
  refusedItems: number;
}

export function noCounts(): SendCounts {
  return {
    sentRequests: 0,
    sentItems: 0,
    sentBytes: 0,
    partialRequests: 0,
    retries: 0,
    rejectedItems: 0,
    refusedRequests: 0,
    refusedItems: 0,
  };
}

export interface SenderOptions {
  readonly queue: DeliveryQueue;
  readonly transport: Transport;
  readonly onOutcome: (outcome: Outcome) => void;
  readonly backoff?: Backoff;
}

export class Sender {
  readonly counts: SendCounts = noCounts();
  readonly #options: SenderOptions;
  readonly #backoff: Backoff;
  readonly #abort = new AbortController();
  #running: Promise<void> | null = null;
  /** Tries of this message that failed in a way that may be the message's own: an outage before them costs it nothing. */
  #unsure = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? new Backoff();
  }

  /** Counts a message that was taken, also one that its owner sent another way. */
  countTaken(outcome: Taken, items: number): void {
    const { counts } = this;
    const rejected = outcome.is === 'partial' ? Math.min(outcome.rejected, items) : 0;
    counts.sentRequests += 1;
    counts.sentItems += items - rejected;
    counts.rejectedItems += rejected;
    counts.partialRequests += rejected > 0 ? 1 : 0;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Sends no further message; the owner closes the transport to end the one under way. Resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#options.queue.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#abort.signal.aborted && (await this.#next()));
  }

  /** By itself, so that a message that was sent is not held until there is another one. False once the queue is closed. */
  async #next(): Promise<boolean> {
    const { queue, transport, onOutcome } = this.#options;
    const taken = await queue.next();
    if (taken === null) return false;
    const outcome = await transport.send(taken.message);
    const waitMs = this.#count(outcome, taken.message);
    if (!this.#abort.signal.aborted || isTaken(outcome)) onOutcome(outcome);
    await queue.end(taken, waitMs === null);
    if (isTaken(outcome) && transport.copies === true) letGo(taken.message.bytes);
    queue.behind(waitMs !== null);
    if (waitMs !== null) await this.#pause(waitMs);
    return true;
  }

  /** How long to wait before the same message is sent again; null when it is done with. */
  #count(outcome: Outcome, message: Message): number | null {
    const { counts } = this;
    if (isTaken(outcome)) {
      this.countTaken(outcome, message.items);
      counts.sentBytes += message.bytes.length;
      return this.#done();
    }
    const bounded = outcome.is === 'retry' && outcome.tries !== null;
    if (bounded) this.#unsure += 1;
    const givenUp = bounded && this.#unsure >= outcome.tries;
    if (outcome.is === 'fatal' || givenUp) {
      counts.refusedRequests += 1;
      counts.refusedItems += message.items;
      return this.#done();
    }
    counts.retries += 1;
    return outcome.is === 'closed' ? this.#backoff.longest() : this.#backoff.next(outcome.afterMs);
  }

  #done(): null {
    this.#unsure = 0;
    this.#backoff.reset();
    return null;
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#abort;
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(wake, ms).unref();
      function wake() {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        resolve();
      }
      signal.addEventListener('abort', wake);
    });
  }
}

/** A large message would stay, with those after it, until V8 collects everything, which is seldom at rest. */
function letGo({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength >= LARGE) buffer.transfer(0);
}
