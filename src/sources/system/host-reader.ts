// One round of readings from procfs: gauges as they are, counters as rates, what is absent left out.

import { seriesKey } from '../../model/reading.ts';
import { type DiskCounters, type InterfaceCounters, parseDisks, parseInterfaces } from './proc/devices.ts';
import { type CpuTime, cpuShares, parseLoad, parseMemory, parsePressure, parseStat } from './proc/host-state.ts';
import { PhysicalDevices } from './proc/physical-devices.ts';
import { ProcReader } from './proc/proc-reader.ts';
import { Rates } from './rates.ts';

/** Devices are looked up in sysfs again after this many rounds. */
const ROUNDS_OF_DEVICES = 60;

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

export class HostReader {
  readonly proc: ProcReader;
  readonly #devices: PhysicalDevices;
  readonly #host: string;
  readonly #rates = new Rates();
  #cpu: CpuTime | null = null;
  #round = 0;
  readonly seen: Seen = { cpu: false, memory: false, pressure: false, disks: null, interfaces: null };

  constructor(roots: { readonly proc: string; readonly sys: string }, host: string) {
    this.proc = new ProcReader(roots.proc);
    this.#devices = new PhysicalDevices(roots.sys);
    this.#host = `host/${host}`;
  }

  /** Reads everything once; `timeMs` is epoch ms on the steady clock. */
  read(timeMs: number): Samples {
    const samples: Samples = { keys: [], values: [] };
    if (this.#round % ROUNDS_OF_DEVICES === 0) this.#devices.forget();
    this.#round += 1;
    this.#readCpu(samples);
    this.#readMemory(samples);
    this.#readPressure(samples, timeMs);
    this.#readDisks(samples, timeMs);
    this.#readInterfaces(samples, timeMs);
    return samples;
  }

  /** Epoch ms at which the kernel started; null when it does not say. */
  bootTimeMs(): number | null {
    const seconds = parseStat(this.proc.read('stat') ?? '').bootTimeS;
    return seconds === null ? null : seconds * 1000;
  }

  #readCpu(samples: Samples): void {
    const { cpu, blocked } = parseStat(this.proc.read('stat') ?? '');
    const shares = cpuShares(this.#cpu, cpu);
    this.#cpu = cpu;
    this.seen.cpu = cpu !== null;
    this.#add(samples, 'cpu_utilization', shares?.utilization);
    this.#add(samples, 'cpu_iowait', shares?.iowait);
    this.#add(samples, 'cpu_steal', shares?.steal);
    this.#add(samples, 'tasks_blocked', blocked);
    this.#add(samples, 'load_1m', parseLoad(this.proc.read('loadavg') ?? ''));
  }

  #readMemory(samples: Samples): void {
    const memory = parseMemory(this.proc.read('meminfo') ?? '');
    this.seen.memory = memory.available !== null;
    this.#add(samples, 'memory_used', memory.used);
    this.#add(samples, 'memory_available', memory.available);
    this.#add(samples, 'memory_shared', memory.shared);
    this.#add(samples, 'swap_used', memory.swapUsed);
  }

  #readPressure(samples: Samples, timeMs: number): void {
    this.seen.pressure = false;
    for (const resource of ['cpu', 'memory', 'io'] as const) {
      const { some, full } = parsePressure(this.proc.read(`pressure/${resource}`) ?? '');
      if (some !== null) this.seen.pressure = true;
      this.#ratio(samples, `pressure_${resource}_some`, some, 1e6, timeMs);
      // For the host as a whole the kernel defines no full pressure on the CPU and writes 0.
      if (resource !== 'cpu') this.#ratio(samples, `pressure_${resource}_full`, full, 1e6, timeMs);
    }
  }

  #readDisks(samples: Samples, timeMs: number): void {
    const text = this.proc.read('diskstats');
    const disks = text === null ? null : parseDisks(text, (name) => this.#devices.isDisk(name));
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

  #readInterfaces(samples: Samples, timeMs: number): void {
    // Process 1's are the host's where we run in a network namespace of our own and look through a mounted procfs.
    const text = this.proc.read('1/net/dev') ?? this.proc.read('net/dev');
    const found = text === null ? null : parseInterfaces(text, (name) => this.#devices.interface(name) !== null);
    this.seen.interfaces = found?.length ?? null;
    for (const [quantity, of] of INTERFACE_COUNTERS) {
      const own = (one: InterfaceCounters) => {
        const address = this.#devices.interface(one.name)?.pciAddress;
        return address === null || address === undefined ? null : seriesKey(`nic/${address}`, quantity);
      };
      this.#tally(samples, `network_${quantity}`, found, of, own, timeMs);
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
