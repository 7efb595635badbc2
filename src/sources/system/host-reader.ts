// One round of readings from procfs: gauges as they are, counters as rates, what is absent left out.

import { getSystemErrorName } from 'node:util';
import { seriesKey } from '../../model/reading.ts';
import { type HostRound, type NativeHostFigures, native } from '../../native.ts';
import {
  type CpuTime,
  cpuShares,
  type DiskCounters,
  type HostState,
  hostState,
  type InterfaceCounters,
} from './host-round.ts';
import { Rates } from './rates.ts';

export interface Samples {
  readonly keys: string[];
  readonly values: number[];
}

/** What was there in the last round, for people. */
export interface Seen {
  cpu: boolean;
  memory: boolean;
  pressure: boolean;
  disks: number | null;
  interfaces: number | null;
}

export interface HostRoots {
  readonly proc: string;
  readonly sys: string;
}

export class HostReader {
  readonly #roots: HostRoots;
  readonly #host: string;
  readonly #rates = new Rates();
  #figures: NativeHostFigures | null;
  #cpu: CpuTime | null = null;
  readonly seen: Seen = { cpu: false, memory: false, pressure: false, disks: null, interfaces: null };
  /** Path below procfs → error name of its read in the last round. */
  failures: ReadonlyMap<string, string> = new Map();
  /** Files that do not answer. */
  hanging: readonly string[] = [];
  /** Epoch ms at which the kernel started; null when it does not say. */
  bootTimeMs: number | null = null;
  /** Text of the boot id, empty when the kernel does not say. */
  bootId = '';
  /** Rounds that were read. */
  rounds = 0;

  /** `figures`: in the place of what the kernel says. */
  constructor(roots: HostRoots, host: string, figures: NativeHostFigures | null = null) {
    this.#figures = figures;
    this.#roots = roots;
    this.#host = `host/${host}`;
  }

  /** Root of procfs. */
  get root(): string {
    return this.#roots.proc;
  }

  /** Reads everything once, natively; `timeMs` is epoch ms on the steady clock. Null while the last round still waits. */
  async read(timeMs: number): Promise<Samples | null> {
    const round = await this.#round();
    if (round === null) return null;
    this.rounds += 1;
    this.failures = new Map(round.failed.map((path, i) => [path, getSystemErrorName(-(round.errors[i] ?? 0))]));
    this.hanging = round.hanging;
    this.bootId = round.bootId;
    const state = hostState(round);
    this.bootTimeMs = state.bootTimeMs;
    const samples: Samples = { keys: [], values: [] };
    this.#cpuSamples(samples, state);
    this.#memorySamples(samples, state);
    this.#pressureSamples(samples, state, timeMs);
    this.#diskSamples(samples, state, timeMs);
    this.#interfaceSamples(samples, state, timeMs);
    return samples;
  }

  #round(): Promise<HostRound | null> {
    this.#figures ??= new (native().HostFigures)(this.#roots);
    const figures = this.#figures;
    return new Promise((resolve) => {
      if (!figures.read(resolve)) resolve(null);
    });
  }

  #cpuSamples(samples: Samples, { cpu, blocked, load }: HostState): void {
    const shares = cpuShares(this.#cpu, cpu);
    this.#cpu = cpu;
    this.seen.cpu = cpu !== null;
    this.#add(samples, 'cpu_utilization', shares?.utilization);
    this.#add(samples, 'cpu_iowait', shares?.iowait);
    this.#add(samples, 'cpu_steal', shares?.steal);
    this.#add(samples, 'tasks_blocked', blocked);
    this.#add(samples, 'load_1m', load);
  }

  #memorySamples(samples: Samples, { memory }: HostState): void {
    this.seen.memory = memory.available !== null;
    this.#add(samples, 'memory_used', memory.used);
    this.#add(samples, 'memory_available', memory.available);
    this.#add(samples, 'memory_shared', memory.shared);
    this.#add(samples, 'swap_used', memory.swapUsed);
  }

  #pressureSamples(samples: Samples, { pressure }: HostState, timeMs: number): void {
    this.seen.pressure = false;
    for (const resource of ['cpu', 'memory', 'io'] as const) {
      const { some, full } = pressure[resource];
      if (some !== null) this.seen.pressure = true;
      this.#ratio(samples, `pressure_${resource}_some`, some, 1e6, timeMs);
      // For the host as a whole the kernel defines no full pressure on the CPU and writes 0.
      if (resource !== 'cpu') this.#ratio(samples, `pressure_${resource}_full`, full, 1e6, timeMs);
    }
  }

  #diskSamples(samples: Samples, { disks }: HostState, timeMs: number): void {
    this.seen.disks = disks?.length ?? null;
    const own = (quantity: string) => (disk: DiskCounters) => seriesKey(this.#host, `${quantity}.${disk.name}`);
    for (const [quantity, of] of DISK_COUNTERS) this.#tally(samples, quantity, disks, of, own(quantity), timeMs);
    let busiest: number | null = null;
    for (const { name, busyMs } of disks ?? []) {
      const share = this.#ratio(samples, `disk_utilization.${name}`, busyMs, 1000, timeMs);
      if (share !== null) busiest = Math.max(busiest ?? 0, share);
    }
    this.#add(samples, 'disk_utilization', busiest);
  }

  #interfaceSamples(samples: Samples, { interfaces }: HostState, timeMs: number): void {
    this.seen.interfaces = interfaces?.length ?? null;
    for (const [quantity, of] of INTERFACE_COUNTERS) {
      const own = ({ pciAddress }: InterfaceCounters) =>
        pciAddress === null ? null : seriesKey(`nic/${pciAddress}`, quantity);
      this.#tally(samples, `network_${quantity}`, interfaces, of, own, timeMs);
    }
  }

  /** The rate of each device under its own key, and their sum as the host's: a device that comes or goes is not a burst. */
  #tally<T extends { readonly name: string }>(
    samples: Samples,
    quantity: string,
    devices: readonly T[] | null,
    of: (device: T) => number,
    own: (device: T) => string | null,
    timeMs: number,
  ): void {
    const sums = new Map<string, number>();
    const total = seriesKey(this.#host, quantity);
    for (const device of devices ?? []) {
      const rate = this.#rates.perSecond(`${quantity} ${device.name}`, of(device), timeMs);
      if (rate === null) continue;
      // Ports that share a PCI function share its component.
      for (const key of [total, own(device)]) if (key !== null) sums.set(key, (sums.get(key) ?? 0) + rate);
    }
    for (const [key, sum] of sums) {
      samples.keys.push(key);
      samples.values.push(sum);
    }
  }

  /** Share of the time; `perSecond` is how far the counter gets in a second of nothing else. */
  #ratio(samples: Samples, quantity: string, value: number | null, perSecond: number, timeMs: number): number | null {
    const rate = this.#rates.perSecond(quantity, value, timeMs);
    const share = rate === null ? null : Math.min(1, rate / perSecond);
    this.#add(samples, quantity, share);
    return share;
  }

  #add(samples: Samples, quantity: string, value: number | null | undefined): void {
    if (value === null || value === undefined) return;
    samples.keys.push(seriesKey(this.#host, quantity));
    samples.values.push(value);
  }
}

const DISK_COUNTERS: readonly (readonly [string, (disk: DiskCounters) => number])[] = [
  ['disk_read_rate', (disk) => disk.readBytes],
  ['disk_write_rate', (disk) => disk.writtenBytes],
];

const INTERFACE_COUNTERS: readonly (readonly [string, (one: InterfaceCounters) => number])[] = [
  ['receive_rate', (one) => one.receivedBytes],
  ['transmit_rate', (one) => one.transmittedBytes],
  ['receive_error_rate', (one) => one.receiveErrors],
  ['transmit_error_rate', (one) => one.transmitErrors],
  ['receive_drop_rate', (one) => one.receiveDrops],
  ['transmit_drop_rate', (one) => one.transmitDrops],
];
