// A source of devices on the network: one poller each, so that a slow device delays no other, staggered by a few at a time.

import type { Emit } from '../../model/record.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import { type Device, DevicePoller, type PollerDeps } from './poller.ts';

/** So many begin together: one after the other they cost little more than half of what each alone does, which wakes a process that slept. */
const TOGETHER = 8;

export class PollersSource implements Source {
  readonly name: string;
  readonly #none: string;
  readonly #pollers: readonly DevicePoller[];
  #running: Promise<unknown> | null = null;
  #stopping: Promise<unknown> | null = null;

  /** `none`: the health where there is no device. `deps.now` is the steady clock, epoch ms (NativeCore.now). */
  constructor(name: string, none: string, devices: readonly Device[], deps: PollerDeps) {
    this.name = name;
    this.#none = none;
    this.#pollers = devices.map((device) => new DevicePoller(device, deps));
  }

  start(emit: Emit, signal: AbortSignal): void {
    if (this.#running !== null || this.#stopping !== null) return;
    const groups = Math.ceil(this.#pollers.length / TOGETHER);
    const runs = this.#pollers.map((poller, i) =>
      poller.run(emit, (poller.intervalMs * Math.floor(i / TOGETHER)) / groups),
    );
    this.#running = Promise.allSettled(runs);
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    if (signal.aborted) void this.stop();
  }

  health(): readonly SourceHealth[] {
    if (this.#pollers.length === 0) {
      return [{ source: this.name, status: 'off', detail: this.#none, remedy: null }];
    }
    return this.#pollers.map((poller) => poller.health());
  }

  counts(): readonly SourceCounts[] {
    return this.#pollers.map((poller) => poller.counts());
  }

  /** Polls this device at once. */
  protected wake(name: string): void {
    this.#pollers.find((poller) => poller.name === name)?.wake();
  }

  async stop(): Promise<void> {
    this.#stopping ??= Promise.allSettled(this.#pollers.map((poller) => poller.stop()));
    await this.#stopping;
    await this.#running;
  }
}
