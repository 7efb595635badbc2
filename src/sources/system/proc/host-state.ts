// What /proc/stat, meminfo, loadavg and pressure say of the host as a whole (proc(5), Documentation/accounting/psi.rst).

import { labelled, lineOf, numbersAt } from './scan.ts';

/** Ticks since boot, all processors together. */
export interface CpuTime {
  readonly total: number;
  readonly idle: number;
  readonly iowait: number;
  readonly steal: number;
}

export interface Stat {
  readonly cpu: CpuTime | null;
  /** Tasks in uninterruptible sleep. */
  readonly blocked: number | null;
  /** Epoch seconds. */
  readonly bootTimeS: number | null;
}

export function parseStat(text: string): Stat {
  return { cpu: cpuTime(text), blocked: labelled(text, 'procs_blocked '), bootTimeS: labelled(text, 'btime ') };
}

function cpuTime(text: string): CpuTime | null {
  if (!text.startsWith('cpu ')) return null;
  // user nice system idle iowait irq softirq steal; guest and guest_nice are contained in user and nice.
  const ticks = numbersAt(text, 4).slice(0, 8);
  const [, , , idle, iowait = 0, , , steal = 0] = ticks;
  if (idle === undefined) return null;
  return { total: ticks.reduce((sum, one) => sum + one, 0), idle, iowait, steal };
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

/** Bytes; null where the kernel does not say. */
export interface Memory {
  readonly used: number | null;
  readonly available: number | null;
  readonly shared: number | null;
  readonly swapUsed: number | null;
}

export function parseMemory(text: string): Memory {
  const bytes = (label: string) => {
    const kibibytes = labelled(text, label);
    return kibibytes === null ? null : kibibytes * 1024;
  };
  const available = bytes('MemAvailable:');
  return {
    used: minus(bytes('MemTotal:'), available),
    available,
    shared: bytes('Shmem:'),
    swapUsed: minus(bytes('SwapTotal:'), bytes('SwapFree:')),
  };
}

function minus(whole: number | null, part: number | null): number | null {
  return whole === null || part === null || part > whole ? null : whole - part;
}

/** Microseconds since boot in which some, or all, runnable tasks waited for the resource. */
export interface Pressure {
  readonly some: number | null;
  readonly full: number | null;
}

export function parsePressure(text: string): Pressure {
  return { some: pressureTotal(text, 'some '), full: pressureTotal(text, 'full ') };
}

function pressureTotal(text: string, label: string): number | null {
  const line = lineOf(text, label);
  if (line < 0) return null;
  const end = text.indexOf('\n', line);
  const at = text.indexOf(' total=', line);
  if (at < 0 || (end >= 0 && at > end)) return null;
  return numbersAt(text, at + ' total='.length)[0] ?? null;
}

/** Load of the last minute; null when the text is not a loadavg. */
export function parseLoad(text: string): number | null {
  const word = text.slice(0, Math.max(0, text.indexOf(' ')));
  const load = word === '' || word.length > 12 ? Number.NaN : Number(word);
  return load >= 0 && load < 1e9 ? load : null;
}
