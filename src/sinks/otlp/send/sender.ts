// Sender: takes the oldest request of a signal, sends it until it is taken or refused, then the next; at least once.

import type { SignalQueue, Taken } from '../queue/signal-queue.ts';
import type { Answer } from './answer.ts';
import { Backoff } from './backoff.ts';
import type { Transport } from './transport.ts';

export interface SendCounts {
  /** Requests that were taken, and the items in them without the rejected ones. */
  sentRequests: number;
  sentItems: number;
  sentBytes: number;
  /** Requests among the sent ones of which the collector rejected items. */
  partialRequests: number;
  /** Tries after which a request had to be sent again. */
  retries: number;
  /** Items that the collector rejected inside a request that it took. */
  rejectedItems: number;
  /** Requests and items that the collector refused for good. */
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
  readonly queue: SignalQueue;
  readonly transport: Transport;
  readonly onAnswer: (answer: Answer) => void;
  readonly backoff?: Backoff;
}

export class Sender {
  readonly counts: SendCounts = noCounts();
  readonly #options: SenderOptions;
  readonly #backoff: Backoff;
  readonly #abort = new AbortController();
  #running: Promise<void> | null = null;
  #tries = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? new Backoff();
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Begins no other request; the owner closes the transport to end the one under way. Resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#options.queue.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { queue, transport, onAnswer } = this.#options;
    while (!this.#abort.signal.aborted) {
      const taken = await queue.next();
      if (taken === null) return;
      const answer = await transport.send(taken.entry.bytes);
      const waitMs = this.#count(answer, taken);
      if (!this.#abort.signal.aborted || answer.is === 'taken') onAnswer(answer);
      await queue.end(taken, waitMs === null);
      queue.behind(waitMs !== null);
      if (waitMs !== null) await this.#pause(waitMs);
    }
  }

  /** How long to wait before the same request is sent again; null when it is done with. */
  #count(answer: Answer, { entry }: Taken): number | null {
    const { counts } = this;
    this.#tries += 1;
    if (answer.is === 'taken') {
      const rejected = Math.min(answer.rejected, entry.items);
      counts.sentRequests += 1;
      counts.sentItems += entry.items - rejected;
      counts.sentBytes += entry.bytes.length;
      counts.rejectedItems += rejected;
      counts.partialRequests += rejected > 0 ? 1 : 0;
      return this.#done();
    }
    const givenUp = answer.is === 'again' && answer.tries !== null && this.#tries >= answer.tries;
    if (answer.is === 'refused' || givenUp) {
      counts.refusedRequests += 1;
      counts.refusedItems += entry.items;
      return this.#done();
    }
    counts.retries += 1;
    return answer.is === 'shut' ? this.#backoff.longest() : this.#backoff.next(answer.afterMs);
  }

  #done(): null {
    this.#tries = 0;
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
