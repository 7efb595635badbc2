// Resident memory and CPU time of a process of ours, from procfs.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface ProcessUsage {
  readonly residentBytes: number;
  readonly userSeconds: number;
  readonly systemSeconds: number;
}

/** Linux gives these in fixed units to user space: USER_HZ, see times(2), and pages. */
const TICKS_PER_SECOND = 100;

/** Null when there is no such process, or its files are not of the form of proc(5). Never rejects. */
export async function processUsage(procRoot: string, pid: number): Promise<ProcessUsage | null> {
  try {
    const folder = join(procRoot, String(pid));
    const [stat, status] = await Promise.all(['stat', 'status'].map((file) => readFile(join(folder, file), 'latin1')));
    if (stat === undefined || status === undefined) return null;
    // The name in brackets may hold anything, brackets included: the fields count from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system] = [Number(fields[11]), Number(fields[12])];
    const kib = Number(/^VmRSS:\s+(\d{1,12}) kB$/m.exec(status)?.[1] ?? Number.NaN);
    if (![user, system, kib].every(Number.isFinite)) return null;
    return {
      residentBytes: kib * 1024,
      userSeconds: user / TICKS_PER_SECOND,
      systemSeconds: system / TICKS_PER_SECOND,
    };
  } catch {
    return null;
  }
}
