// Which sinks a configuration asks for, and what the line's right end tells all of them.

import type { Logger } from 'pino';
import type { BaseConfig } from '../config/base.ts';
import type { OtlpConfig } from './otlp/settings.ts';
import type { PrometheusConfig } from './prometheus/settings.ts';
import { loggedAfter } from '../incidents/log/after.ts';
import type { Loaded } from '../incidents/log/load.ts';
import type { LogCounts } from '../incidents/log/trouble.ts';
import type { FaultEvent } from '../model/event.ts';
import type { Incident } from '../model/incident.ts';
import type { Discovery } from '../model/record.ts';
import type { OnWork } from '../model/work.ts';
import type { Aggregates, NativeCore } from '../native.ts';
import type { Source } from '../sources/source.ts';
import type { Mark } from './delivery/journal/sent-journal.ts';
import type { SelfInputs } from './self/self-inputs.ts';
import type { SelfMetrics } from './self/self-metrics.ts';
import type { SeriesAggregate, Sink, SinkCounts, SinkHealth } from './sink.ts';

/** Pids are those of our own namespace, whatever `roots.proc` says of the host. */
const OWN_PROC = '/proc';

export interface SinkSurroundings {
  readonly version: string;
  readonly core: NativeCore;
  /** Incidents that an earlier run left open. */
  readonly restored: readonly Incident[];
  /** The newest incidents of earlier runs, open or not, those that changed last at the end. */
  readonly known: readonly Incident[];
  /** Where the incident log holds a revision; null where that is not known. */
  readonly placeOf?: Loaded['placeOf'];
  readonly sources: () => readonly Source[];
  readonly log: () => (LogCounts & { readonly waitingBytes: number }) | null;
  readonly servers: SelfInputs['servers'];
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

type Scrape = (accept: string | undefined) => Promise<{ readonly contentType: string; readonly body: Buffer }>;

export class SinkSet {
  readonly #sinks: readonly Sink[];
  readonly #core: NativeCore;
  #keys: readonly string[] = [];
  /** What a scraper gets; null where no metrics are shown. */
  readonly scrape: Scrape | null;

  constructor(sinks: readonly Sink[], core: NativeCore, scrape: Scrape | null) {
    this.#sinks = sinks;
    this.#core = core;
    this.scrape = scrape;
  }

  /** Whether any sink takes series: without one there is no timer for them. */
  get wantsSeries(): boolean {
    return this.#sinks.some((sink) => sink.series !== undefined);
  }

  /** Who is told of the daemon's own work; null where no sink wants it. */
  onWork(): OnWork {
    const takers = this.#sinks.filter((sink) => sink.wantsWork === true);
    if (takers.length === 0) return null;
    return (work) => {
      for (const sink of takers) sink.work?.(work);
    };
  }

  start(signal: AbortSignal): void {
    for (const sink of this.#sinks) sink.start(signal);
  }

  event(event: FaultEvent): void {
    for (const sink of this.#sinks) sink.event(event);
  }

  /** To be called when the incident was written to the log, or is marked as not written. */
  incident(incident: Incident): void {
    for (const sink of this.#sinks) sink.incident(incident);
  }

  discovery(discovery: Discovery): void {
    for (const sink of this.#sinks) sink.discovery?.(discovery);
  }

  /** What the flight-recorder source has to tell other hosts. */
  summary(job: string, text: string, timeMs: number): void {
    for (const sink of this.#sinks) sink.summary?.(job, text, timeMs);
  }

  /** Once a second, with what the core aggregated since. */
  series(aggregates: Aggregates): void {
    if (aggregates.ids.some((id) => id >= this.#keys.length)) this.#keys = this.#core.seriesKeys();
    const list = seriesOf(aggregates, this.#keys);
    const nowMs = this.#core.now();
    for (const sink of this.#sinks) sink.series?.(list, nowMs);
  }

  health(): readonly SinkHealth[] {
    return this.#sinks.map((sink) => sink.health());
  }

  async stop(): Promise<void> {
    await Promise.all(this.#sinks.map((sink) => sink.stop()));
  }
}

/** What sinks read of the configuration. */
export type SinksConfig = Pick<BaseConfig, 'host' | 'directories' | 'simulated'> & {
  readonly otlp: OtlpConfig | null;
  readonly prometheus: PrometheusConfig | null;
};

/** A sink that is off is not made, and its libraries are not loaded. */
export async function createSinks(config: SinksConfig, surroundings: SinkSurroundings): Promise<SinkSet> {
  const { core, version, restored, known, placeOf, logger } = surroundings;
  const { host, prometheus, otlp, directories, simulated } = config;
  const now = () => core.now();
  const sinks: Sink[] = [];
  const metrics = prometheus !== null || (otlp !== null && otlp.metrics !== null);
  const self = metrics ? await selfMetrics(surroundings, () => sinks.flatMap((sink) => sink.counts?.() ?? [])) : null;
  if (self !== null) sinks.push(self);
  if (otlp !== null) {
    const { createOtlpSink } = await import('./otlp/otlp-sink.ts');
    const common = {
      host,
      version,
      simulated,
      stateDirectory: directories.state,
      logger,
      now,
      known,
      loggedAfter: (mark: Mark | null) =>
        loggedAfter(directories.log, mark, mark === null ? null : (placeOf?.(mark) ?? null)),
    };
    sinks.push(await createOtlpSink(otlp, self === null ? common : { ...common, selfMetrics: () => self.collect() }));
  }
  let scrape: Scrape | null = null;
  if (prometheus !== null && self !== null) {
    const { PrometheusSink } = await import('./prometheus/prometheus-sink.ts');
    const { maxSeries, dcgmNames } = prometheus;
    const sink = new PrometheusSink({ host, version, simulated, maxSeries, dcgmNames, now, restored, self });
    sinks.push(sink);
    scrape = (accept) => sink.scrape(accept);
  }
  return new SinkSet(sinks, core, scrape);
}

async function selfMetrics(surroundings: SinkSurroundings, counts: () => readonly SinkCounts[]): Promise<SelfMetrics> {
  const { SelfMetrics } = await import('./self/self-metrics.ts');
  const { known: _, ...inputs } = surroundings;
  const { core } = inputs;
  return new SelfMetrics({
    ...inputs,
    now: () => core.now(),
    procRoot: OWN_PROC,
    core: () => core.stats(),
    sinks: counts,
  });
}

function seriesOf(aggregates: Aggregates, keys: readonly string[]): SeriesAggregate[] {
  const { ids, count, min, max, mean, last, lastTimeMs } = aggregates;
  const list: SeriesAggregate[] = [];
  for (let i = 0; i < ids.length; i += 1) {
    const key = keys[ids[i] ?? -1];
    if (key === undefined) continue;
    list.push({
      key,
      count: count[i] ?? 0,
      min: min[i] ?? Number.NaN,
      max: max[i] ?? Number.NaN,
      mean: mean[i] ?? Number.NaN,
      last: last[i] ?? Number.NaN,
      lastTimeMs: lastTimeMs[i] ?? Number.NaN,
    });
  }
  return list;
}
