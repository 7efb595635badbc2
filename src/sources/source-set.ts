// SourceSet: the sources of a daemon, what they take of what native code hands over, and what changes with other settings.

import { isDeepStrictEqual } from 'node:util';
import type { BaseConfig } from '../config/base.ts';
import type { Emit } from '../model/record.ts';
import type { WallTimes } from '../model/wall-times.ts';
import type { Drained } from '../native.ts';
import type { Bulkhead } from './bulkhead.ts';
import { readClockJump } from './clock-jump-notice.ts';
import type { AnySource } from './define-source.ts';
import type { Services } from './services.ts';
import type { Source, SourceHealth } from './source.ts';
import { type Heard, isDeviceFault, isStoppedJob } from './suspicion.ts';

/** What sources read of the configuration. */
export type SourcesConfig = Pick<BaseConfig, 'host' | 'roots' | 'directories' | 'record'> & {
  /** Settings by name of the source. */
  readonly sources: Readonly<Record<string, unknown>>;
};

interface Made {
  readonly definition: AnySource;
  /** As it was made, and behind the bulkhead. */
  readonly source: Source;
  readonly guarded: Source;
  settings: unknown;
}

/** What came of other settings: the names of sources. */
export interface SourceChanges {
  readonly started: readonly string[];
  readonly stopped: readonly string[];
  readonly changed: readonly string[];
}

export interface SourceMaker {
  readonly services: Services;
  readonly wall: WallTimes;
  readonly bulkhead: Bulkhead | undefined;
  /** Those that settings ask for, in the order of the list. */
  readonly asked: (config: SourcesConfig) => readonly AnySource[];
  readonly make: (definition: AnySource, settings: unknown) => Promise<Source>;
}

export class SourceSet {
  #made: readonly Made[] = [];
  readonly #maker: SourceMaker;
  readonly #guarded: (source: string, work: () => void) => void;

  private constructor(maker: SourceMaker) {
    this.#maker = maker;
    this.#guarded = guardOf(maker.bulkhead);
  }

  /** Their code loads at the same time; they start in the order of the list. */
  static async of(config: SourcesConfig, maker: SourceMaker): Promise<SourceSet> {
    const set = new SourceSet(maker);
    set.#made = await Promise.all(maker.asked(config).map((one) => set.#make(one, config.sources[one.name])));
    return set;
  }

  get sources(): readonly Source[] {
    return this.#made.map(({ guarded }) => guarded);
  }

  /**
   * Starts what is configured now and was not, stops what is not any more, and makes again what is configured otherwise;
   * the others continue as they are. A source that fails to start is in its place with the reason in its health.
   */
  async reload(config: SourcesConfig, emit: Emit, signal: AbortSignal): Promise<SourceChanges> {
    const asked = this.#maker.asked(config);
    const before = new Map(this.#made.map((made) => [made.definition.name, made]));
    const stopped = this.#made.filter(({ definition }) => !asked.includes(definition));
    const again: AnySource[] = [];
    const changed: string[] = [];
    for (const definition of asked) {
      const made = before.get(definition.name);
      const settings = config.sources[definition.name];
      if (made !== undefined && isDeepStrictEqual(made.settings, settings)) continue;
      if (made !== undefined) changed.push(definition.name);
      if (made !== undefined && this.#takesUp(made, settings)) made.settings = settings;
      else again.push(definition);
    }
    const ended = this.#made.filter((made) => stopped.includes(made) || again.includes(made.definition));
    this.#made = this.#made.filter((made) => !ended.includes(made));
    await Promise.all(ended.map(({ guarded }) => guarded.stop()));
    for (const { definition } of ended) this.#maker.services.forget(definition.name);
    for (const { definition, source } of stopped) this.#guarded(definition.name, () => source.forget?.());
    const fresh = await Promise.all(again.map((one) => this.#make(one, config.sources[one.name])));
    const all = [...this.#made, ...fresh];
    this.#made = asked.flatMap((definition) => all.find((made) => made.definition === definition) ?? []);
    for (const { guarded } of fresh) guarded.start(emit, signal);
    const name = ({ definition }: Made) => definition.name;
    return { started: fresh.map(name).filter((each) => !before.has(each)), stopped: stopped.map(name), changed };
  }

  /** Whether the silence of one may be an event, by what it reads now. */
  silenceMatters(): boolean {
    return this.#made.some(({ source }) => source.silenceMatters?.() === true);
  }

  /** Gives kernel records and notices to the sources that take them. */
  handle({ records, notices }: Drained): void {
    for (const { definition, source } of this.#made) {
      if (records.length > 0 && definition.records === true)
        this.#guarded(source.name, () => source.handleRecords?.(records));
    }
    for (const notice of notices) {
      for (const { definition, source } of this.#made) {
        if (definition.notices?.includes(notice.name) === true)
          this.#guarded(source.name, () => source.handleNotice?.(notice));
      }
      const jump = readClockJump(notice);
      if (jump !== null) this.#maker.wall.stepped(jump.byMs, jump.when);
    }
  }

  /** Something happened: sources look closer at what is suspicious, and learn that a job makes steps again. */
  heard(event: Heard): void {
    const { kind, component, state, source } = event;
    const suspicious = this.#made.some(
      ({ definition: { name, suspicious } }) => suspicious === true && name === source,
    );
    if (kind === 'job.hang' && state === 'clear')
      return void this.#maker.services.jobContinues.raise(component?.id ?? '');
    if ((suspicious && state === 'onset') || kind === 'job.hang' || isDeviceFault(event))
      this.#maker.services.suspicion.raise();
    if (isStoppedJob(event)) this.#maker.services.jobStopped.raise();
  }

  /** Lets go of every device file for `durationMs`; false when no source holds any. The notice brings `traceparent` back. */
  releaseDevices(durationMs: number, traceparent?: string): boolean {
    return this.#maker.services.releaseDevices.raise(durationMs, traceparent).includes(true);
  }

  #takesUp({ definition, source }: Made, settings: unknown): boolean {
    let taken = false;
    this.#guarded(definition.name, () => {
      taken = source.reconfigure?.(settings) === true;
    });
    return taken;
  }

  async #make(definition: AnySource, settings: unknown): Promise<Made> {
    const source = await this.#maker.make(definition, settings);
    return { definition, source, guarded: this.#maker.bulkhead?.source(source) ?? source, settings };
  }

  /** As operators see it: with what came of the lines that were read. */
  health(): readonly SourceHealth[] {
    return this.sources.flatMap((source) => source.judgedHealth?.() ?? source.health());
  }
}

export function guardOf(bulkhead: Bulkhead | undefined): (source: string, work: () => void) => void {
  return (source, work) => (bulkhead === undefined ? work() : bulkhead.run(source, work));
}
