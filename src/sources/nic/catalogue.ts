// What the catalogue says of network cards: which counters are read, and when a change counts.

import catalog from '#catalog/nic.json' with { type: 'json' };

export interface Counter {
  /** Relative to the port's or interface's folder. */
  readonly file: string;
  readonly quantity: string;
  /** Where the counter stops (PortCounters of the InfiniBand specification are 4 to 16 bits wide); null: never. */
  readonly limit: number | null;
  /** Read in the slow lane only: nothing is detected on it. */
  readonly slow: boolean;
}

interface CounterRow {
  readonly file: string;
  readonly quantity: string;
  readonly limit?: number;
  readonly slow?: boolean;
}

const counters = (rows: readonly CounterRow[]): readonly Counter[] =>
  rows.map(({ file, quantity, limit = null, slow = false }) => ({ file, quantity, limit, slow }));

export const PORT_COUNTERS = counters(catalog.port_counters);
export const INTERFACE_COUNTERS = counters(catalog.interface_counters);
export interface EthtoolCounter {
  /** As the driver names it. */
  readonly name: string;
  readonly quantity: string;
  /** Quantity that the priorities together are. */
  readonly total: string | null;
  /** To the SI unit. */
  readonly scale: number;
  /** Of one priority: reported once it has counted. */
  readonly ifUsed: boolean;
}

interface EthtoolRow {
  readonly name: string;
  readonly quantity: string;
  readonly total?: string;
  readonly scale?: number;
}

const PRIORITIES = 8;

/** A row with "{p}" stands for each priority of IEEE 802.1p. */
export const ETHTOOL_COUNTERS: readonly EthtoolCounter[] = (catalog.ethtool_counters as readonly EthtoolRow[]).flatMap(
  ({ name, quantity, total = null, scale = 1 }) => {
    const priorities = name.includes('{p}') ? Array.from({ length: PRIORITIES }, (_, p) => `${p}`) : [''];
    return priorities.map((p) => ({
      name: name.replace('{p}', p),
      quantity: quantity.replace('{p}', p),
      total,
      scale,
      ifUsed: p !== '',
    }));
  },
);
export const LINK_DOWNED = 'link_downs';

/** Without RDMA a link of at most this many bit/s is for management. */
export const MANAGEMENT_MAX_BIT_S = catalog.management_max_bit_s;

export const CHIP_LIMIT_C = catalog.limits.chip_c;
export const MODULE_LIMIT_C = catalog.limits.module_c;

/** A port flaps from this many changes of state within the window on. */
export const FLAP_CHANGES = catalog.flap.changes;
export const FLAP_WINDOW_MS = catalog.flap.window_ms;
/** Reads in a row without the card after which it is lost: gone from the bus, and still on it (a driver that reloads). */
export const OFF_BUS_READS = catalog.missing_reads.off_bus;
export const ON_BUS_READS = catalog.missing_reads.on_bus;
/** Reads in a row that find a flapping port, or one whose card came back, down before it is reported as such. */
export const STEADY_DOWN_READS = catalog.down_reads_while_flapping;
export const UP_READS = catalog.up_reads;
/** A link is judged while it carries at least this share of its rate. */
export const LOADED = catalog.pcie.load;
export const DEGRADED_READS = catalog.pcie.reads;
export const RESTORED_READS = catalog.pcie.clear_reads;
/** Temperatures and the PCIe link are read once in so many rounds: each is a command to the card's firmware. */
export const SLOW_ROUNDS = catalog.slow_lane_rounds;
