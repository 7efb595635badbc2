// hwmon source: power and temperature of GPUs, sockets and the machine where no other source gives them.

import { join } from 'node:path';
import { type Component, parseComponent } from '../../model/component.ts';
import { parseSeriesKey } from '../../model/reading.ts';
import type { KernelRecord } from '../../native.ts';
import { KernelEcho } from '../files/kernel-echo.ts';
import { selfInflicted } from '../files/self-inflicted.ts';
import { powerW, temperatureC } from '../files/sentinel.ts';
import { SmallFiles } from '../files/small-files.ts';
import { type Watch, WatchedSource, type WatchPlan } from '../files/watched-source.ts';
import type { SourceHealth } from '../source.ts';
import { type Chip, findChips, type Sensor } from './chips.ts';
import type { HwmonSettings } from './settings.ts';

export const SOURCE = 'hwmon';
/** Chips are looked for again after so many rounds. */
const ROUNDS = 12;

export interface HwmonOptions {
  readonly host: string;
  readonly sys: string;
  /** Epoch ms on the steady clock. */
  readonly now: () => number;
  readonly files?: SmallFiles;
  /** Has native code read between two looks at the chips; left out, all is read here. */
  readonly watch?: Watch;
}

export class HwmonSource extends WatchedSource {
  protected readonly slowRounds = ROUNDS;
  readonly #options: HwmonOptions;
  readonly #echo = new KernelEcho();
  readonly #reported = new Set<string>();
  readonly #given = new Set<string>();
  #chips: readonly Chip[] = [];
  /** As native code reads them, in the order of its groups. */
  #read: readonly Sensor[] = [];
  #round = 0;
  #lookedAt = 0;
  #dropped = 0;

  constructor(config: HwmonSettings, options: HwmonOptions) {
    super(SOURCE, config.intervalMs, options.files ?? new SmallFiles(), 'kernel', options.watch ?? null);
    this.#options = options;
  }

  protected lookedHealth(): SourceHealth {
    const hanging = this.hanging();
    const given = [...this.#given].map((path) => `FL2604 ${path} is not read any more`);
    if (this.#chips.length === 0) {
      const detail = `FL2605 no chip under ${join(this.#options.sys, 'class/hwmon')} that this source reads`;
      const remedy = 'nothing is missing where NVML, RAPL and BMC are read; Grace: acpi_power_meter.force_cap_on=y';
      return { source: SOURCE, status: 'absent', detail: [detail, ...hanging].join('; '), remedy };
    }
    const names = [...new Set(this.#chips.map(({ name }) => name))].join(', ');
    const sensors = this.#chips.reduce((sum, chip) => sum + chip.sensors.length, 0);
    const none = this.#dropped + this.droppedNatively;
    const dropped = none > 0 ? [`${none} readings dropped that are none`] : [];
    const detail = [`${sensors} sensors of ${names}`, ...dropped, ...given, ...hanging].join('; ');
    return { source: SOURCE, status: 'works', detail, remedy: null };
  }

  /** Lines of the kernel: errors that our own reads caused end those reads. */
  handleRecords(records: readonly KernelRecord[]): void {
    this.#noteReads();
    const heard = this.#echo.hear(records);
    for (const { path, record } of heard) {
      this.#given.add(path);
      this.files.refuse(path, 'kernel errors');
      this.emit?.event(selfInflicted(SOURCE, this.#options.host, path, record, this.#options.now()));
    }
    if (heard.length > 0 && this.#read.length > 0) this.lookAgain();
  }

  protected plan(): WatchPlan | null {
    const sensors = this.#chips.flatMap((chip) => chip.sensors);
    this.#read = sensors.filter(({ path }) => this.files.refusal(path) === undefined);
    this.#lookedAt = 0;
    if (this.#read.length === 0) return null;
    return this.#read.map(({ path, key, unit }) => ({ files: [{ path }], series: [{ key, kind: unit, files: [0] }] }));
  }

  protected async meanwhile(rounds: number): Promise<boolean> {
    if (rounds - this.#lookedAt < ROUNDS) return true;
    this.#lookedAt = rounds;
    const before = JSON.stringify(this.#chips);
    await this.#look();
    return before === JSON.stringify(this.#chips);
  }

  protected taken(rounds: number): void {
    this.#round += rounds;
    this.#read = [];
  }

  /** When native code read what the kernel may log errors for. */
  #noteReads(): void {
    const groups = this.watched;
    for (const [i, { path, errors }] of groups === null ? [] : this.#read.entries()) {
      const [beganMs = Number.NaN, endedMs = Number.NaN] = groups?.subarray(2 * i, 2 * i + 2) ?? [];
      if (errors === null || Number.isNaN(beganMs)) continue;
      this.#echo.begins(path, errors, beganMs);
      this.#echo.ends(path, endedMs);
    }
  }

  protected async look(): Promise<void> {
    const again = this.#round % ROUNDS === 0;
    this.#round += 1;
    if (!again && this.#chips.length === 0) return;
    if (again) await this.#look();
    const keys: string[] = [];
    const timesMs: number[] = [];
    const values: number[] = [];
    for (const { sensors } of this.#chips) {
      for (const sensor of sensors) {
        const value = await this.#value(sensor);
        if (value === null) continue;
        keys.push(sensor.key);
        timesMs.push(this.#options.now());
        values.push(value);
      }
    }
    if (keys.length > 0) this.emit?.samples({ source: SOURCE, trust: 'kernel', keys, timesMs, values });
  }

  async #look(): Promise<void> {
    const { sys, host } = this.#options;
    const zones = (await this.files.list(join(sys, 'class/powercap'))) ?? [];
    const powercap = zones.some((zone) => zone.startsWith('intel-rapl:'));
    this.#chips = await findChips(this.files, sys, host, powercap);
    for (const { sensors } of this.#chips) for (const { key } of sensors) this.#discover(key);
  }

  async #value({ path, unit, errors }: Sensor): Promise<number | null> {
    if (errors !== null) this.#echo.begins(path, errors, this.#options.now());
    const text = await this.files.read(path);
    if (errors !== null) this.#echo.ends(path, this.#options.now());
    const value = unit === 'power' ? powerW(text) : temperatureC(text);
    if (text !== null && value === null) this.#dropped += 1;
    return value;
  }

  #discover(key: string): void {
    const text = parseSeriesKey(key).component;
    if (this.#reported.has(text)) return;
    this.#reported.add(text);
    const component = parseComponent(text, this.#options.host);
    const host: Component = { type: 'host', id: this.#options.host };
    if (component === null || component.type === 'host') return;
    this.emit?.discovery({
      component: { ...component, parent: `host/${this.#options.host}` },
      links: [{ from: host, to: component, relation: 'contains', source: 'host' }],
    });
  }
}
