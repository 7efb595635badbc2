// The Prometheus sink: keeps what a scrape will ask for, and writes it when it is asked.

import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { Listen } from '../../config/listen.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { isInjected } from '../../model/made.ts';
import type { Discovery } from '../../model/record.ts';
import { HealthStore } from '../health-store.ts';
import { seriesMetric } from '../metric-table.ts';
import type { Exposition, SeriesAggregate, Sink, SinkHealth } from '../sink.ts';
import { LabelBook } from '../work/label-book.ts';
import { DcgmNames } from './dcgm.ts';
import { CONTENT_TYPES, exposition, type Format } from './exposition.ts';
import { familiesOf } from './from-otel.ts';
import { healthFamilies } from './health-families.ts';
import type { Family, FamilySample } from './metric-family.ts';
import { negotiate } from './negotiate.ts';
import { type SeriesRow, seriesFamilies, seriesRow } from './series-families.ts';
import { SeriesTable, type Snapshot } from './series-table.ts';
import { workFamilies } from './work-families.ts';

/** Scrapes closer together than this get the same text: nothing is newer, aggregates come once a second. */
const REUSE_MS = 500;
/** So many times as long as the last answer the next one is at most, most of the time. */
const ROOM = 1.05;
/** Memory of an earlier answer is taken while it has at least and at most so many times as much. */
const LEAST_ROOM = 1.01;
const MOST_ROOM = 1.5;

export interface PrometheusSinkOptions {
  readonly host: string;
  readonly version: string;
  /** All that is reported is made up. */
  readonly simulated?: boolean;
  /** Nothing is sent; so that alerts can leave it out. */
  readonly shadow?: boolean;
  readonly maxSeries: number;
  readonly dcgmNames: boolean;
  readonly listen?: Listen | null;
  /** The steady clock of the samples, epoch ms. */
  readonly now: () => number;
  /** Incidents that an earlier run left open. */
  readonly restored?: readonly Incident[];
  /** For whom devices work; left out: for no job. */
  readonly labels?: LabelBook;
  /** The daemon's own metrics. */
  readonly self: { collect(): Promise<ResourceMetrics> };
}

interface Written {
  readonly atMs: number;
  readonly answer: Promise<Exposition>;
  /** Who was given it and has not said that it is sent. */
  readers: number;
  bytes: Buffer | null;
}

export class PrometheusSink implements Sink {
  readonly name = 'prometheus';
  readonly listen: Listen | null;
  readonly #options: PrometheusSinkOptions;
  readonly #series: SeriesTable<SeriesRow>;
  readonly #dcgm: DcgmNames | null;
  readonly #health: HealthStore;
  readonly #labels: LabelBook;
  readonly #written = new Map<Format, Written>();
  #scrapes = 0;
  /** Bytes of the last answer. */
  #expected = 0;

  constructor(options: PrometheusSinkOptions) {
    this.#options = options;
    this.listen = options.listen ?? null;
    this.#dcgm = options.dcgmNames ? new DcgmNames(options.host) : null;
    this.#health = new HealthStore(options.now());
    this.#labels = options.labels ?? new LabelBook();
    for (const incident of options.restored ?? []) this.#health.incident(incident);
    this.#series = new SeriesTable({
      maxSeries: options.maxSeries,
      rowOf: (key) => {
        const metric = seriesMetric(key);
        return metric === null ? null : seriesRow(metric);
      },
      wantsRange: (row) => row.min !== null,
    });
  }

  start(): void {}

  event(event: FaultEvent): void {
    if (!isInjected(event)) this.#dcgm?.event(event);
    this.#health.event(event);
  }

  incident(incident: Incident): void {
    this.#health.incident(incident);
  }

  series(aggregates: readonly SeriesAggregate[], nowMs: number): void {
    this.#series.update(aggregates, nowMs);
  }

  discovery(discovery: Discovery): void {
    this.#dcgm?.discovery(discovery);
  }

  health(): SinkHealth {
    const detail = `${this.#series.size} series, ${this.#scrapes} scrapes`;
    const { leftOut } = this.#series;
    if (leftOut === 0) return { sink: this.name, status: 'works', detail };
    const limit = `FL3301 ${leftOut} series are left out, more than prometheus.max_series (${this.#options.maxSeries})`;
    return { sink: this.name, status: 'failing', detail: `${limit}; raise it, or read fewer devices` };
  }

  async stop(): Promise<void> {}

  scrape(accept: string | undefined): Promise<Exposition> {
    this.#scrapes += 1;
    const format = negotiate(accept);
    const nowMs = this.#options.now();
    const known = this.#written.get(format);
    if (known !== undefined && nowMs >= known.atMs && nowMs - known.atMs < REUSE_MS) {
      known.readers += 1;
      return known.answer;
    }
    // From here on it is given out no more: where it is sent, this one is written over it, which else would lie about until V8 collects everything.
    const room = known?.readers === 0 ? known.bytes : null;
    const answer = this.#write(format, nowMs, room, () => {
      written.readers -= 1;
    });
    const written: Written = { atMs: nowMs, answer, readers: 1, bytes: null };
    this.#written.set(format, written);
    answer.then(
      ({ body }) => {
        written.bytes = Buffer.from(body.buffer);
      },
      () => this.#written.delete(format), // this scraper gets the failure, not the next one
    );
    return answer;
  }

  async #write(format: Format, nowMs: number, room: Buffer | null, sent: () => void): Promise<Exposition> {
    const self = await this.#options.self.collect();
    const snapshots = this.#series.snapshots(nowMs);
    const families = [
      ...seriesFamilies(snapshots, this.#labels),
      ...healthFamilies(this.#health.points(componentsOf(snapshots)), this.#labels),
      ...(this.#dcgm?.families(snapshots, this.#labels) ?? []),
      ...workFamilies(this.#labels.points()),
      ...familiesOf(self),
      ...this.#own(),
    ];
    const body = this.#exposition(families, format, room);
    this.#expected = body.length;
    return { contentType: CONTENT_TYPES[format], body, sent };
  }

  #exposition(families: readonly Family[], format: Format, room: Buffer | null): Buffer {
    const expected = this.#expected;
    const fits = room !== null && room.length >= expected * LEAST_ROOM && room.length <= expected * MOST_ROOM;
    return fits
      ? exposition(families, format, room.length, room)
      : exposition(families, format, Math.ceil(expected * ROOM));
  }

  #own(): Family[] {
    const { host, version, simulated = false, shadow = false } = this.#options;
    const one = (value: number, labels: FamilySample['labels'] = []): FamilySample[] => [{ suffix: '', labels, value }];
    const about = [
      ...(shadow ? ([['faultline_shadow', 'true']] as const) : []),
      ...(simulated ? ([['faultline_simulated', 'true']] as const) : []),
      ['host_name', host],
      ['service_name', 'faultline'],
      ['service_version', version],
    ] as const;
    return [
      { name: 'target_info', type: 'info', help: 'Who is asked here', unit: '', samples: one(1, about) },
      {
        name: 'faultline_prometheus_series',
        type: 'gauge',
        help: 'Series kept for scrapes, fresh and about to go stale',
        unit: '',
        samples: one(this.#series.size),
      },
      {
        name: 'faultline_prometheus_series_left_out',
        type: 'gauge',
        help: 'Series that found no place under prometheus.max_series in the last half minute',
        unit: '',
        samples: one(this.#series.leftOut),
      },
    ];
  }
}

function componentsOf(snapshots: readonly Snapshot<SeriesRow>[]): Set<string> {
  const components = new Set<string>();
  for (const { row } of snapshots) components.add(row.component);
  return components;
}
