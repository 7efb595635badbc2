// Host round: what native code read of procfs, in the terms of the source: shares, bytes, devices.

import { canonicalPciAddress } from '../../model/component.ts';
import type { CounterTable, HostRound } from '../../native.ts';

/** The kernel counts sectors of 512 bytes, whatever the disk's own are. */
const SECTOR_BYTES = 512;
/** Where each part of `HostRound.numbers` begins. */
const AT = { cpu: 0, blocked: 8, bootTime: 9, load: 10, memory: 11, pressure: 16 } as const;

/** Ticks since boot, all processors together. */
export interface CpuTime {
  readonly total: number;
  readonly idle: number;
  readonly iowait: number;
  readonly steal: number;
}

/** Bytes; null where the kernel does not say. */
export interface Memory {
  readonly used: number | null;
  readonly available: number | null;
  readonly shared: number | null;
  readonly swapUsed: number | null;
}

/** Microseconds since boot in which some, or all, tasks that could run waited for the resource. */
export interface Pressure {
  readonly some: number | null;
  readonly full: number | null;
}

export interface DiskCounters {
  readonly name: string;
  readonly readBytes: number;
  readonly writtenBytes: number;
  /** Time in which at least one request was under way; null where the kernel does not count it. */
  readonly busyMs: number | null;
}

export interface InterfaceCounters {
  readonly name: string;
  /** Null where the device is on no PCI bus (virtual machines). */
  readonly pciAddress: string | null;
  readonly receivedBytes: number;
  readonly receiveErrors: number;
  readonly receiveDrops: number;
  readonly transmittedBytes: number;
  readonly transmitErrors: number;
  readonly transmitDrops: number;
}

export interface HostState {
  readonly cpu: CpuTime | null;
  /** Tasks in uninterruptible sleep. */
  readonly blocked: number | null;
  /** Epoch ms at which the kernel started. */
  readonly bootTimeMs: number | null;
  readonly load: number | null;
  readonly memory: Memory;
  readonly pressure: Readonly<Record<'cpu' | 'memory' | 'io', Pressure>>;
  /** Null where their file cannot be read. */
  readonly disks: readonly DiskCounters[] | null;
  readonly interfaces: readonly InterfaceCounters[] | null;
}

export function hostState(round: HostRound): HostState {
  const number = (at: number): number | null => known(round.numbers[at]);
  const pressure = (place: number): Pressure => ({
    some: number(AT.pressure + 2 * place),
    full: number(AT.pressure + 2 * place + 1),
  });
  const bootTimeS = number(AT.bootTime);
  return {
    cpu: cpuTime(round.numbers.subarray(AT.cpu, AT.blocked)),
    blocked: number(AT.blocked),
    bootTimeMs: bootTimeS === null ? null : bootTimeS * 1000,
    load: number(AT.load),
    memory: memory([0, 1, 2, 3, 4].map((place) => scaled(number(AT.memory + place), 1024))),
    pressure: { cpu: pressure(0), memory: pressure(1), io: pressure(2) },
    disks:
      rows(round.disks, 3)?.map(([name, [read = 0, written = 0, busy]]) => ({
        name,
        readBytes: read * SECTOR_BYTES,
        writtenBytes: written * SECTOR_BYTES,
        busyMs: known(busy),
      })) ?? null,
    interfaces:
      rows(round.interfaces, 6)?.map(([name, counters], place) => {
        const [received = 0, errors = 0, drops = 0, sent = 0, sendErrors = 0, sendDrops = 0] = counters;
        return {
          name,
          pciAddress: pciAddressOf(round.interfaceDevices[place] ?? ''),
          receivedBytes: received,
          receiveErrors: errors,
          receiveDrops: drops,
          transmittedBytes: sent,
          transmitErrors: sendErrors,
          transmitDrops: sendDrops,
        };
      }) ?? null,
  };
}

function rows(table: CounterTable | null, width: number): [name: string, counters: Float64Array][] | null {
  return table?.names.map((name, i) => [name, table.counters.subarray(i * width, (i + 1) * width)]) ?? null;
}

function cpuTime(ticks: Float64Array): CpuTime | null {
  const [, , , idle = Number.NaN, iowait = 0, , , steal = 0] = ticks;
  return Number.isNaN(idle) ? null : { total: ticks.reduce((sum, one) => sum + one, 0), idle, iowait, steal };
}

function memory([total = null, available = null, shared = null, swap = null, free = null]: (number | null)[]): Memory {
  return { used: minus(total, available), available, shared, swapUsed: minus(swap, free) };
}

/** The device nearest to the interface on the way to it through sysfs. */
function pciAddressOf(folder: string): string | null {
  return (
    folder
      .split('/')
      .map(canonicalPciAddress)
      .findLast((address) => address !== null) ?? null
  );
}

export interface CpuShares {
  readonly utilization: number;
  readonly iowait: number;
  readonly steal: number;
}

/** Shares of the time between two readings; null without two of them, or when the counters went back. */
export function cpuShares(before: CpuTime | null, now: CpuTime | null): CpuShares | null {
  if (before === null || now === null) return null;
  const total = now.total - before.total;
  const idle = now.idle - before.idle;
  // iowait is known to go back a little on its own (proc(5)): that is neither waiting nor a reset.
  const iowait = Math.max(0, now.iowait - before.iowait);
  const steal = now.steal - before.steal;
  if (!(total > 0) || idle < 0 || steal < 0) return null;
  return { utilization: share(total - idle - iowait, total), iowait: share(iowait, total), steal: share(steal, total) };
}

function share(part: number, whole: number): number {
  return Math.min(1, Math.max(0, part / whole));
}

function known(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}

function minus(whole: number | null, part: number | null): number | null {
  return whole === null || part === null || part > whole ? null : whole - part;
}
