// Cards of before the start: their ports were up in an earlier run, and this one has not seen them.

import { MANAGEMENT_MAX_BIT_S } from './catalogue.ts';
import type { PortMemory } from './nic-round.ts';
import type { BusView, PresenceEdge, PresenceWatch } from './presence-watch.ts';

export class BeforeStart {
  readonly #ports: PortMemory;
  readonly #presence: PresenceWatch;
  /** Ports by card. */
  readonly #waited: Map<string, string[]>;

  constructor(ports: PortMemory, presence: PresenceWatch, nowMs: number) {
    this.#ports = ports;
    this.#presence = presence;
    this.#waited = ports.usedCards();
    for (const [address, names] of this.#waited) presence.seen(address, this.#role(names), nowMs);
  }

  /** Cards that are waited for. */
  get addresses(): string[] {
    return [...this.#waited.keys()];
  }

  here(address: string): void {
    this.#waited.delete(address);
  }

  /** At each reading without it. One that is off the bus too is the inventory's to report, and waited for no more. */
  gone(address: string, bus: BusView, nowMs: number): PresenceEdge | null {
    const edge = this.#presence.gone(address, bus, nowMs);
    if (edge === null) return null;
    // From now on it is down, and usual after a day, as a port is.
    for (const port of this.#waited.get(address) ?? []) this.#ports.is(port, false);
    this.#waited.delete(address);
    return bus.onBus ? edge : null;
  }

  /** Of an RDMA device a port is "mlx5_0/1", of an interface its name. */
  #role(ports: readonly string[]): { rdma: boolean; management: boolean } {
    const rdma = ports.some((port) => port.includes('/'));
    const rates = ports.map((port) => this.#ports.rateWas(port) ?? 0);
    return { rdma, management: !rdma && Math.max(0, ...rates) <= MANAGEMENT_MAX_BIT_S };
  }
}
