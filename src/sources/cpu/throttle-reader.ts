// Time that each CPU package spent slowed down by heat: one processor's file per package, since all show the same number.

import { join } from 'node:path';
import { seriesKey } from '../../model/reading.ts';
import { parseCounter } from '../files/sentinel.ts';
import type { SmallFiles } from '../files/small-files.ts';

/** More than any host has. */
const MAX_PACKAGES = 64;
const MAX_CPU = 16_383;
/** Packages are looked for again after so many rounds, at most: processors go offline and come back. */
const ROUNDS = 60;

interface Package {
  readonly id: number;
  /** The file that counts. */
  readonly path: string;
  readonly quantity: 'throttle_time' | 'throttle_count';
  /** Units of the file in a second, or in an event. */
  readonly divisor: number;
}

export interface ThrottleSamples {
  readonly keys: readonly string[];
  readonly values: readonly number[];
}

export class ThrottleReader {
  readonly #files: SmallFiles;
  readonly #cpus: string;
  readonly #host: string;
  #packages: readonly Package[] = [];
  #round = 0;

  constructor(files: SmallFiles, sys: string, host: string) {
    this.#files = files;
    this.#cpus = join(sys, 'devices/system/cpu');
    this.#host = host;
  }

  async read(): Promise<ThrottleSamples> {
    if (this.#round % ROUNDS === 0) {
      this.#files.forget(this.#cpus);
      this.#packages = await this.#find();
    }
    this.#round += 1;
    const keys: string[] = [];
    const values: number[] = [];
    await this.#files.together('packages', async () => {
      for (const { id, path, quantity, divisor } of this.#packages) {
        const value = parseCounter(await this.#files.read(path));
        // Its processor went offline: another one of the package tells it.
        if (value === null) this.#round = 0;
        else {
          keys.push(seriesKey(`cpu/${this.#host}/${id}`, quantity));
          values.push(value / divisor);
        }
      }
    });
    return { keys, values };
  }

  /** Asks the first processor which others share its package, then the first of those left, and so on. */
  async #find(): Promise<Package[]> {
    const online = cpuList(await this.#files.read(join(this.#cpus, 'online')));
    const found = new Map<number, Package>();
    let rounds = 0;
    while (online.length > 0 && found.size < MAX_PACKAGES && rounds < MAX_PACKAGES) {
      rounds += 1;
      const folder = join(this.#cpus, `cpu${online[0]}`);
      const topology = (file: string) => this.#files.read(join(folder, 'topology', file));
      const shared = (await topology('package_cpus_list')) ?? (await topology('core_siblings_list'));
      const mates = new Set([online[0], ...cpuList(shared)]);
      for (let i = online.length - 1; i >= 0; i -= 1) if (mates.has(online[i])) online.splice(i, 1);
      const id = parseCounter(await topology('physical_package_id'));
      const counter = id === null ? null : await this.#counter(id, join(folder, 'thermal_throttle'));
      if (counter !== null) found.set(counter.id, counter);
    }
    return [...found.values()];
  }

  /** Time is what slows a job; kernels before 5.8 count events only. */
  async #counter(id: number, folder: string): Promise<Package | null> {
    const time = join(folder, 'package_throttle_total_time_ms');
    if (parseCounter(await this.#files.read(time)) !== null) {
      return { id, path: time, quantity: 'throttle_time', divisor: 1000 };
    }
    const count = join(folder, 'package_throttle_count');
    if (parseCounter(await this.#files.read(count)) === null) return null;
    return { id, path: count, quantity: 'throttle_count', divisor: 1 };
  }
}

/** "0-3,8" → 0 1 2 3 8 (Documentation/admin-guide/cputopology.rst); what is not such a list is empty. */
export function cpuList(text: string | null): number[] {
  const numbers: number[] = [];
  for (const part of (text ?? '').split(',')) {
    const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part);
    if (match === null) return [];
    const from = Number(match[1]);
    const to = Math.min(Number(match[2] ?? match[1]), MAX_CPU);
    for (let cpu = from; cpu <= to && numbers.length <= MAX_CPU; cpu += 1) numbers.push(cpu);
  }
  return numbers;
}
