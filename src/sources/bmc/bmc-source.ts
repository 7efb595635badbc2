// The BMC source: polls every configured BMC over Redfish, each on its own, so that a slow one delays no other.

import type { BmcConfig } from '../../config/config.ts';
import type { Emit } from '../../model/record.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import { BmcPoller, type BmcPollerDeps } from './poller.ts';

export class BmcSource implements Source {
  readonly name = 'bmc';
  readonly #config: readonly BmcConfig[];
  readonly #pollers: readonly BmcPoller[];
  #running: Promise<unknown> | null = null;
  #stopping: Promise<unknown> | null = null;

  /** `deps.now` is the steady clock, epoch ms (NativeCore.now). */
  constructor(config: readonly BmcConfig[], deps: BmcPollerDeps) {
    this.#config = config;
    this.#pollers = config.map((bmc) => new BmcPoller(bmc, deps));
  }

  start(emit: Emit, signal: AbortSignal): void {
    if (this.#running !== null || this.#stopping !== null) return;
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
      return [{ source: 'bmc', status: 'off', detail: 'no BMC is configured', remedy: null }];
    }
    return this.#pollers.map((poller) => poller.health());
  }

  counts(): readonly SourceCounts[] {
    return this.#pollers.map((poller) => poller.counts());
  }

  async stop(): Promise<void> {
    this.#stopping ??= Promise.allSettled(this.#pollers.map((poller) => poller.stop()));
    await this.#stopping;
    await this.#running;
  }
}
