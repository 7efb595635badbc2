// The PDU source: polls every configured PDU over SNMP, each on its own, staggered so that they do not answer all at once.

import type { PduConfig } from '../../config/config.ts';
import type { Emit } from '../../model/record.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import { PduPoller, type PduPollerDeps } from './poller.ts';

export class PduSource implements Source {
  readonly name = 'pdu';
  readonly #config: readonly PduConfig[];
  readonly #pollers: readonly PduPoller[];
  #running: Promise<unknown> | null = null;
  #stopped = false;

  /** `deps.now` is the steady clock, epoch ms (NativeCore.now). */
  constructor(config: readonly PduConfig[], deps: PduPollerDeps) {
    this.#config = config;
    this.#pollers = config.map((pdu) => new PduPoller(pdu, deps));
  }

  start(emit: Emit, signal: AbortSignal): void {
    if (this.#running !== null || this.#stopped) return;
    const runs = this.#pollers.map((poller, i) => {
      const interval = this.#config[i]?.intervalMs ?? 0;
      return poller.run(emit, (interval * i) / this.#pollers.length);
    });
    this.#running = Promise.allSettled(runs);
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    if (signal.aborted) void this.stop();
  }

  health(): readonly SourceHealth[] {
    if (this.#config.length === 0) {
      return [{ source: 'pdu', status: 'off', detail: 'no PDU is configured', remedy: null }];
    }
    return this.#pollers.map((poller) => poller.health());
  }

  counts(): readonly SourceCounts[] {
    return this.#pollers.map((poller) => poller.counts());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const poller of this.#pollers) poller.stop();
    await this.#running;
  }
}
