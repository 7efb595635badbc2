// A powercap tree as the kernel shows RAPL: limits that can change, energy counters that run and wrap, files that stay.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jitter, type RandomStream } from '../random.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import type { PlannedHost } from '../scenario/world.ts';
import { writeInPlace } from './in-place-write.ts';

/** What Intel packages report as max_energy_range_uj. */
const ENERGY_RANGE_UJ = 262_143_328_850;

export class FakePowercap {
  readonly #folders: readonly string[];
  readonly #host: PlannedHost;
  readonly #random: RandomStream;
  readonly #jitter: number;
  readonly #energyUj: number[];
  #limitsW: number[] = [];

  /** Makes the tree under `sysRoot`/class/powercap. */
  constructor(sysRoot: string, host: PlannedHost, random: RandomStream, jitterShare: number) {
    this.#host = host;
    this.#random = random;
    this.#jitter = jitterShare;
    this.#energyUj = host.packages.map(() => Math.floor(random() * ENERGY_RANGE_UJ));
    const root = join(sysRoot, 'class', 'powercap');
    mkdirSync(root, { recursive: true });
    this.#folders = host.packages.map((_, i) => join(root, `intel-rapl:${i}`));
    this.#folders.forEach((folder, i) => {
      mkdirSync(folder, { recursive: true });
      const write = (name: string, text: string | number) => writeFileSync(join(folder, name), `${text}\n`);
      write('name', `package-${i}`);
      write('enabled', 1);
      write('max_energy_range_uj', ENERGY_RANGE_UJ);
      write('constraint_0_name', 'long_term');
      write('constraint_0_time_window_us', 999_424);
      write('constraint_1_name', 'short_term');
      write('constraint_1_time_window_us', 2440);
      write('constraint_1_power_limit_uw', Math.round((host.packages[i]?.limitW ?? 0) * 1.2e6));
    });
    this.update([]);
    this.advance(0);
  }

  /** Puts the limits in force. */
  update(changes: readonly PlannedChange[]): void {
    const limits = this.#host.packages.map((cpu) => cpu.limitW);
    for (const change of changes) {
      if (change.type !== 'cpu_power_limit') continue;
      for (const i of limits.keys()) if (change.package === 'all' || change.package === i) limits[i] = change.to;
    }
    this.#folders.forEach((folder, i) => {
      if (limits[i] === this.#limitsW[i]) return;
      writeInPlace(join(folder, 'constraint_0_power_limit_uw'), `${Math.round((limits[i] ?? 0) * 1e6)}\n`);
    });
    this.#limitsW = limits;
  }

  /** Adds the energy of `elapsedMs` to the counters, which start again past their range. */
  advance(elapsedMs: number): void {
    this.#folders.forEach((folder, i) => {
      const watts = Math.min(this.#host.packages[i]?.powerW ?? 0, this.#limitsW[i] ?? 0);
      const added = jitter(this.#random, watts, this.#jitter * 10) * elapsedMs * 1000;
      const energy = Math.round((this.#energyUj[i] ?? 0) + added) % (ENERGY_RANGE_UJ + 1);
      this.#energyUj[i] = energy;
      writeInPlace(join(folder, 'energy_uj'), `${energy}\n`);
    });
  }
}
