// Which cards that were there are gone: for a few readings in a row, longer while their driver may only reload. Pure.

import type { Severity } from '../../model/severity.ts';
import type { Interval } from '../../model/time.ts';
import { OFF_BUS_READS, ON_BUS_READS } from './catalogue.ts';

/** What the PCI bus says of a card that has neither ports nor interfaces any more. */
export interface BusView {
  readonly onBus: boolean;
  /** Name of the driver bound to it; null for none. */
  readonly driver: string | null;
}

export interface PresenceEdge {
  readonly address: string;
  readonly state: 'onset' | 'clear';
  readonly interval: Interval;
  readonly severity: Severity;
  readonly bus: BusView | null;
  readonly text: string;
}

interface Known {
  seenMs: number;
  /** First reading without it. */
  goneMs: number | null;
  missing: number;
  reported: Severity | null;
  rdma: boolean;
  management: boolean;
}

export class PresenceWatch {
  readonly #known = new Map<string, Known>();

  /** Addresses of cards that were there and are not now. */
  get missing(): string[] {
    return [...this.#known].filter(([, { missing }]) => missing > 0).map(([address]) => address);
  }

  /** True when it was away. */
  seen(address: string, role: { rdma: boolean; management: boolean }, timeMs: number): PresenceEdge | null {
    const before = this.#known.get(address);
    this.#known.set(address, { ...role, seenMs: timeMs, goneMs: null, missing: 0, reported: null });
    if (before === undefined || before.reported === null) return null;
    const interval = { earliestMs: before.seenMs, latestMs: timeMs };
    const text = `network card ${address} is back`;
    return { address, state: 'clear', interval, severity: before.reported, bus: null, text };
  }

  /** At each reading without the card. */
  gone(address: string, bus: BusView, timeMs: number): PresenceEdge | null {
    const known = this.#known.get(address);
    if (known === undefined) return null;
    known.missing += 1;
    known.goneMs ??= timeMs;
    if (known.reported !== null || known.missing < (bus.onBus ? ON_BUS_READS : OFF_BUS_READS)) return null;
    const interval = { earliestMs: known.seenMs, latestMs: known.goneMs };
    known.reported = severityOf(known, bus);
    return { address, state: 'onset', interval, severity: known.reported, bus, text: sentence(address, bus) };
  }
}

function severityOf({ rdma, management }: Known, { onBus, driver }: BusView): Severity {
  // Given to a virtual machine, or its only interface moved into a container: by order.
  if (driver?.startsWith('vfio') === true || (onBus && driver !== null && !rdma)) return 'info';
  return management || (onBus && driver !== null) ? 'error' : 'critical';
}

function sentence(address: string, { onBus, driver }: BusView): string {
  if (!onBus) return `network card ${address} is gone from the PCI bus`;
  if (driver === null) return `network card ${address} is on the PCI bus, and no driver is bound to it`;
  return `network card ${address} is on the PCI bus, bound to ${driver}, and shows neither port nor interface`;
}
