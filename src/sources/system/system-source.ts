// System source: CPU, memory, pressure, disks, network and full file systems from procfs, reboots, and the host's inventory.

import type { StatsFs } from 'node:fs';
import { errorText } from '../../helpers/error-text.ts';
import { within } from '../../helpers/within.ts';
import { clockJumpEvent } from '../../model/clock-jump.ts';
import type { Component } from '../../model/component.ts';
import { seriesKey } from '../../model/reading.ts';
import type { Emit } from '../../model/record.ts';
import type { NativeHostFigures, Notice } from '../../native.ts';
import { readClockJump } from '../clock-jump-notice.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import { BootWatch } from './boot-watch.ts';
import { Filesystems } from './filesystems.ts';
import { diskFull, Fullness, shmFilling, shmFull } from './fullness.ts';
import { fullnessEvent } from './fullness-event.ts';
import { HostReader } from './host-reader.ts';
import type { TakeInventory } from './inventory/take-inventory.ts';
import type { SystemSettings } from './settings.ts';
import { systemHealth } from './system-health.ts';

export const SOURCE = 'system';
const STOP_MS = 800;

export interface SystemOptions {
  readonly host: string;
  readonly roots: { readonly proc: string; readonly sys: string };
  /** File systems that must not fill up: the configured ones, and those that we write to ourselves. */
  readonly filesystems: readonly string[];
  /** Where the last watched boot is remembered; null to remember nothing. */
  readonly stateDirectory: string | null;
  /** Null to take no inventory. */
  readonly inventory: TakeInventory | null;
  /** In the place of what the kernel says of this host and its file systems. */
  readonly figures?: NativeHostFigures;
  readonly statfs?: (path: string) => Promise<StatsFs>;
  /** Epoch ms on the steady clock. */
  readonly now: () => number;
}

export class SystemSource implements Source {
  readonly name = SOURCE;
  readonly #config: SystemSettings;
  readonly #options: SystemOptions;
  readonly #component: Component;
  readonly #reader: HostReader;
  readonly #filesystems: Filesystems;
  readonly #boot: BootWatch;
  readonly #disk = [new Fullness('host.disk_full', diskFull)];
  readonly #shm = [new Fullness('host.shm_filling', shmFilling), new Fullness('host.shm_full', shmFull)];
  readonly #ending = new AbortController();
  #emit: Emit | null = null;
  #timer: NodeJS.Timeout | null = null;
  #reading = false;
  #stopped: Promise<void> | null = null;
  #previousMs: number | null = null;
  #inventoryTrouble: string | null = null;
  /** How far the wall clock is ahead of the steady one. */
  #wallAheadMs = 0;
  readonly #rounds = { count: 0, seconds: 0 };

  constructor(config: SystemSettings, options: SystemOptions) {
    this.#config = config;
    this.#options = options;
    this.#component = { type: 'host', id: options.host };
    this.#reader = new HostReader(options.roots, options.host, options.figures);
    this.#filesystems = new Filesystems([config.shm, ...options.filesystems], options.statfs);
    this.#boot = new BootWatch(this.#reader, options.stateDirectory, options.host);
  }

  start(emit: Emit, signal: AbortSignal): void {
    this.#emit = emit;
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    this.#round();
    this.#timer = setInterval(() => this.#round(), this.#config.intervalMs);
    void this.#takeInventory();
  }

  /** In the place of `start`: whoever has a clock of their own says when it looks. */
  driven(emit: Emit): () => Promise<void> {
    this.#emit = emit;
    return async () => {
      await this.#readHost();
      await this.#readFilesystems();
    };
  }

  health(): readonly SourceHealth[] {
    const stuck = this.#filesystems.stuck;
    const trouble = [this.#inventoryTrouble, this.#boot.trouble].filter((one) => one !== null);
    return [systemHealth(this.#reader, stuck, trouble)];
  }

  /** What native code saw of the clocks, at ticks that were there anyway. */
  handleNotice(notice: Notice): void {
    const jump = readClockJump(notice);
    if (jump === null) return;
    this.#wallAheadMs += jump.byMs;
    this.#emit?.event(clockJumpEvent(jump, this.#options.host, notice.timeMs + this.#wallAheadMs, SOURCE));
  }

  counts(): readonly SourceCounts[] {
    return [{ source: SOURCE, reads: this.#rounds.count, readSeconds: this.#rounds.seconds }];
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#emit = null;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#ending.abort();
    await within(STOP_MS, this.#boot.stop(this.#options.now()));
  }

  /** One that fails is reported, and the next one is tried all the same. */
  #round(): void {
    const failed = (error: unknown) => this.#emit?.failed?.(error);
    this.#readHost().catch(failed);
    this.#readFilesystems().catch(failed);
  }

  async #readHost(): Promise<void> {
    const timeMs = this.#options.now();
    const started = performance.now();
    const samples = await this.#reader.read(timeMs);
    if (samples === null || this.#emit === null) return;
    this.#rounds.count += 1;
    this.#rounds.seconds += (performance.now() - started) / 1000;
    this.#samples(samples.keys, samples.values, timeMs);
    await this.#boot.look(timeMs, (event) => this.#emit?.event(event));
  }

  async #readFilesystems(): Promise<void> {
    if (this.#reading) return; // the last round still waits for a file system
    this.#reading = true;
    const states = await this.#filesystems.read().finally(() => {
      this.#reading = false;
    });
    const timeMs = this.#options.now();
    const keys: string[] = [];
    const values: number[] = [];
    let fullest: number | null = null;
    for (const [path, state] of states) {
      const shm = path === this.#config.shm;
      if (typeof state !== 'string') {
        if (shm) {
          keys.push(this.#key('shm_used'), this.#key('shm_utilization'));
          values.push(state.sizeBytes * state.utilization, state.utilization);
        } else fullest = Math.max(fullest ?? 0, state.utilization);
      }
      for (const fullness of shm ? this.#shm : this.#disk) {
        const edge = fullness.update(path, state);
        if (edge === null) continue;
        const interval = { earliestMs: this.#previousMs ?? timeMs, latestMs: timeMs };
        this.#emit?.event(fullnessEvent(edge, this.#component, interval));
      }
    }
    if (fullest !== null) {
      keys.push(this.#key('filesystem_utilization'));
      values.push(fullest);
    }
    this.#previousMs = timeMs;
    this.#samples(keys, values, timeMs);
  }

  async #takeInventory(): Promise<void> {
    if (this.#options.inventory === null) return;
    try {
      const attributes = await this.#options.inventory(this.#ending.signal);
      this.#inventoryTrouble = null;
      this.#emit?.discovery({ component: this.#component, links: [], attributes });
    } catch (error) {
      const reason = errorText(error);
      this.#inventoryTrouble = `FL2503 no inventory of the host: ${reason}`;
    }
  }

  #samples(keys: readonly string[], values: readonly number[], timeMs: number): void {
    if (keys.length === 0) return;
    const timesMs = new Array<number>(keys.length).fill(timeMs);
    this.#emit?.samples({ source: SOURCE, trust: 'system', keys, timesMs, values });
  }

  #key(quantity: string): string {
    return seriesKey(`host/${this.#options.host}`, quantity);
  }
}
