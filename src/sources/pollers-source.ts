// What the sources of devices on the network have in common: one poller each, staggered, so that a slow one delays no other.

import type { Emit } from '../model/record.ts';
import type { Source, SourceCounts, SourceHealth } from './source.ts';

export interface Poller {
  /** Runs until `stop`; never rejects. */
  run(emit: Emit, delayMs: number): Promise<void>;
  health(): SourceHealth;
  counts(): SourceCounts;
  stop(): void | Promise<void>;
}

export class PollersSource implements Source {
  readonly name: string;
  readonly #none: string;
  readonly #pollers: readonly (readonly [Poller, number])[];
  #running: Promise<unknown> | null = null;
  #stopping: Promise<unknown> | null = null;

  /** `pollers`: each with its interval in ms. `none`: the health where there is none. */
  constructor(name: string, none: string, pollers: readonly (readonly [Poller, number])[]) {
    this.name = name;
    this.#none = none;
    this.#pollers = pollers;
  }

  start(emit: Emit, signal: AbortSignal): void {
    if (this.#running !== null || this.#stopping !== null) return;
    const runs = this.#pollers.map(([poller, intervalMs], i) =>
      poller.run(emit, (intervalMs * i) / this.#pollers.length),
    );
    this.#running = Promise.allSettled(runs);
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    if (signal.aborted) void this.stop();
  }

  health(): readonly SourceHealth[] {
    if (this.#pollers.length === 0) {
      return [{ source: this.name, status: 'off', detail: this.#none, remedy: null }];
    }
    return this.#pollers.map(([poller]) => poller.health());
  }

  counts(): readonly SourceCounts[] {
    return this.#pollers.map(([poller]) => poller.counts());
  }

  async stop(): Promise<void> {
    this.#stopping ??= Promise.allSettled(this.#pollers.map(async ([poller]) => poller.stop()));
    await this.#stopping;
    await this.#running;
  }
}
