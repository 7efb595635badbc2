// CPU source: RAPL power and power limits, sampled natively; here thermal throttling, used-up quotas, what the host shows and how it fares.

import { type Component, parseComponent } from '../../model/component.ts';
import { parseSeriesKey } from '../../model/reading.ts';
import type { Emit } from '../../model/record.ts';
import { type NativeCore, type NativeReader, type Notice, native } from '../../native.ts';
import { SmallFiles } from '../files/small-files.ts';
import type { Source, SourceHealth, SourceStatus } from '../source.ts';
import { QuotaReader } from './quota-reader.ts';
import type { CpuSettings } from './settings.ts';
import { ThrottleReader } from './throttle-reader.ts';

/** The kernel itself looks at a hot package once a second. */
const THROTTLE_MS = 5000;

/** What the native reader says of itself. */
const STATES: readonly SourceStatus[] = ['works', 'partial', 'absent', 'no_permission', 'failed'];

export class CpuSource implements Source {
  readonly name = 'cpu';
  readonly #config: CpuSettings;
  readonly #sysRoot: string;
  readonly #host: string;
  readonly #core: NativeCore;
  #rapl: NativeReader | null = null;
  #emit: Emit | null = null;
  #status: SourceStatus = 'absent';
  #detail = 'starting';
  readonly #packages = new Set<string>();
  /** Series of the core that were looked through: their keys are made again each time that they are asked for. */
  #looked = 0;
  readonly #files: SmallFiles;
  readonly #throttle: ThrottleReader;
  readonly #quota: QuotaReader;
  #timer: NodeJS.Timeout | null = null;
  #reading = false;

  /** `processes`: pids of those that use a GPU now. */
  constructor(
    config: CpuSettings,
    roots: { readonly proc: string; readonly sys: string },
    host: string,
    core: NativeCore,
    files = new SmallFiles(),
    processes: () => readonly number[] = () => [],
  ) {
    const sysRoot = roots.sys;
    this.#config = config;
    this.#sysRoot = sysRoot;
    this.#host = host;
    this.#core = core;
    this.#files = files;
    this.#throttle = new ThrottleReader(files, sysRoot, host);
    this.#quota = new QuotaReader(files, roots, host, processes);
  }

  start(emit: Emit): void {
    this.#emit = emit;
    this.#rapl = new (native().Rapl)(this.#core, {
      sysRoot: this.#sysRoot,
      host: this.#host,
      intervalMs: this.#config.intervalMs,
      fastIntervalMs: this.#config.fastIntervalMs ?? 0,
    });
    void this.#readThrottle();
    this.#timer = setInterval(() => void this.#readThrottle(), Math.max(THROTTLE_MS, this.#config.intervalMs));
  }

  health(): readonly SourceHealth[] {
    return [{ source: this.name, status: this.#status, detail: this.#detail, remedy: this.#remedy() }];
  }

  async stop(): Promise<void> {
    this.#emit = null;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#files.close();
    this.#rapl?.stop();
    this.#rapl = null;
  }

  handleNotice(notice: Notice): void {
    if (notice.name !== 'rapl_state') return;
    const { state, reason } = notice;
    this.#detail = reason === '' ? state : reason;
    const status = STATES.find((each) => each === state);
    if (status !== undefined) this.#status = status;
    if (status === 'partial') this.#detail = `limits are read, energy is not, so that no power is known: ${reason}`;
    this.#discover();
  }

  async #readThrottle(): Promise<void> {
    if (this.#reading) return; // the last round still waits for a file
    this.#reading = true;
    const read = [await this.#throttle.read(), await this.#quota.read()];
    this.#reading = false;
    const keys = read.flatMap((one) => one.keys);
    const values = read.flatMap((one) => one.values);
    if (keys.length === 0) return;
    const timesMs = new Array<number>(keys.length).fill(this.#core.now());
    this.#emit?.samples({ source: this.name, trust: 'kernel', keys, timesMs, values });
    this.#discover();
  }

  #discover(): void {
    const { series } = this.#core.stats();
    const keys = series === this.#looked ? [] : this.#core.seriesKeys();
    this.#looked = series;
    for (const key of keys) {
      if (!key.startsWith('cpu/')) continue;
      const { component: text } = parseSeriesKey(key);
      if (this.#packages.has(text)) continue;
      this.#packages.add(text);
      const cpu = parseComponent(text, this.#host);
      if (cpu === null) continue;
      const component: Component = { ...cpu, parent: `host/${this.#host}` };
      const host: Component = { type: 'host', id: this.#host };
      this.#emit?.discovery({
        component,
        links: [{ from: host, to: component, relation: 'contains', source: 'host' }],
      });
    }
    if (this.#status === 'works')
      this.#detail = `${this.#packages.size} package${this.#packages.size === 1 ? '' : 's'}, RAPL`;
  }

  #remedy(): string | null {
    if (this.#status === 'no_permission') {
      return 'run as root, or give the service CAP_DAC_READ_SEARCH (energy_uj is readable by root only since Linux 5.10)';
    }
    if (this.#status === 'partial')
      return 'dmesg | grep -i rapl shows what the driver says of it; limits are watched all the same';
    if (this.#status === 'absent') return 'load the driver: modprobe intel_rapl_msr (virtual machines have none)';
    return null;
  }
}
