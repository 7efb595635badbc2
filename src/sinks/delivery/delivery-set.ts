// Delivery set: the deliveries of one sink by name, as its counts, its health and its stop show them.

import { within } from '../../helpers/within.ts';
import type { SinkCounts, SinkHealth } from '../sink.ts';
import type { Delivery } from './delivery.ts';

/** How long a receiver may take what is there at the stop, and how long the whole stop may last. */
const GRACE_MS = 400;
const STOP_MS = 1_000;

export class DeliverySet {
  readonly #sink: string;
  /** The only delivery of a sink has an empty name. */
  readonly #named: ReadonlyMap<string, Delivery>;

  constructor(sink: string, named: ReadonlyMap<string, Delivery>) {
    this.#sink = sink;
    this.#named = named;
  }

  start(): void {
    for (const delivery of this.#named.values()) delivery.start();
  }

  counts(): SinkCounts[] {
    return [...this.#named].map(([name, delivery]) => {
      const counts = delivery.counts();
      return {
        sink: name === '' ? this.#sink : `${this.#sink}/${name}`,
        exports: {
          success: counts.sentRequests - counts.partialRequests,
          partial: counts.partialRequests,
          retried: counts.retries,
          rejected: counts.refusedRequests,
          dropped: counts.droppedRequests,
        },
        waitingBytes: counts.memoryBytes + counts.spoolBytes,
      };
    });
  }

  health(): SinkHealth {
    const all = [...this.#named];
    const failing = all.some(([, delivery]) => delivery.trouble.why !== null);
    const detail = all.map(([name, delivery]) => `${name === '' ? '' : `${name}: `}${stateOf(delivery)}`).join('; ');
    return { sink: this.#sink, status: failing ? 'failing' : 'works', detail };
  }

  /** Once `pushed` resolves, sends or keeps what there is, all within a second; `then` runs when it is sent or on disk. */
  async stop(pushed: Promise<void>, then: () => Promise<void>): Promise<void> {
    const stopped = pushed.then(() => Promise.all([...this.#named.values()].map((each) => each.stop(GRACE_MS))));
    await within(STOP_MS, stopped.then(then));
  }
}

function stateOf(delivery: Delivery): string {
  const { sentRequests, waitingRequests, spoolBytes, droppedItems, rejectedItems, refusedItems } = delivery.counts();
  const lost = droppedItems + rejectedItems + refusedItems;
  const { why } = delivery.trouble;
  return [
    `${sentRequests} ${sentRequests === 1 ? 'request' : 'requests'} sent`,
    ...(waitingRequests > 0 ? [`${waitingRequests} waiting (${spoolBytes} bytes on disk)`] : []),
    ...(lost > 0 ? [`${lost} items lost`] : []),
    ...(why === null ? [] : [why]),
  ].join(', ');
}
