// Series store: what one export interval saw of each series, from aggregates that come once a second; bounded.

import { type SeriesMetric, seriesMetric } from '../../metric-table.ts';
import type { SeriesAggregate } from '../../sink.ts';
import type { PointAttributes, WorkingAttributes } from './working-attributes.ts';

export interface StoredSeries extends SeriesMetric {
  /** With the work that its component does. */
  attributes: PointAttributes;
  /** Without. */
  readonly plain: PointAttributes;
  /** Counters: since when it counts without a reset, as far as was seen. */
  startMs: number;
  last: number;
  lastMs: number;
  /** Over the interval; count is 0 where it saw no sample. */
  count: number;
  min: number;
  max: number;
  /** Last value of each second, time and value in turn, filled for gauges only; the first `used` are of this interval. */
  seconds: number[];
  used: number;
  /** Time of the last point that was exported; points of a series go out in order. */
  exportedMs: number;
}

/** A series without samples for this long is forgotten, and with it its place under the cap. */
const IDLE_MS = 600_000;
/** Numbers kept of the seconds of a long interval: two each. */
const MOST_SECONDS = 240;

/** A stream of points that ends: its series works for another one now. */
export interface Ended {
  readonly series: Pick<StoredSeries, 'metric' | 'extremes'>;
  readonly attributes: PointAttributes;
  readonly atMs: number;
}

export class SeriesStore {
  readonly #maxSeries: number;
  readonly #working: WorkingAttributes;
  #version: number;
  /** What an interval saw of series under attributes that they do not have any more. */
  #before: StoredSeries[] = [];
  #ended: Ended[] = [];
  readonly #series = new Map<string, StoredSeries>();
  /** Components of the series; null where one came or went since. */
  #components: ReadonlySet<string> | null = null;
  readonly #unknown = new Set<string>();
  /** Series left out because there were too many, or because their key names no metric. */
  #leftOut = 0;

  constructor(maxSeries: number, working: WorkingAttributes) {
    this.#maxSeries = maxSeries;
    this.#working = working;
    this.#version = working.version;
  }

  get size(): number {
    return this.#series.size;
  }

  /** Aggregates that found no place under the cap, since the start. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Components that have series. */
  components(): ReadonlySet<string> {
    this.#components ??= new Set([...this.#series.values()].map((series) => series.component));
    return this.#components;
  }

  take(aggregates: readonly SeriesAggregate[], nowMs: number): void {
    if (this.#version !== this.#working.version) this.#relabel(nowMs);
    for (const aggregate of aggregates) {
      if (!Number.isFinite(aggregate.last) || !Number.isFinite(aggregate.lastTimeMs)) continue;
      const series = this.#series.get(aggregate.key) ?? this.#begin(aggregate);
      if (series === null) continue;
      if (aggregate.lastTimeMs <= series.lastMs) continue; // points of a series go out in order
      const { scale } = series;
      const last = aggregate.last * scale;
      if (series.metric.instrument === 'counter' && last < series.last) series.startMs = series.lastMs;
      series.min = series.count === 0 ? aggregate.min * scale : Math.min(series.min, aggregate.min * scale);
      series.max = series.count === 0 ? aggregate.max * scale : Math.max(series.max, aggregate.max * scale);
      series.count += Math.max(aggregate.count, 1);
      series.last = last;
      series.lastMs = aggregate.lastTimeMs;
      if (series.metric.instrument !== 'gauge') continue;
      if (series.used >= MOST_SECONDS) {
        series.seconds.copyWithin(0, MOST_SECONDS / 2);
        series.used -= MOST_SECONDS / 2;
      }
      series.seconds[series.used] = aggregate.lastTimeMs;
      series.seconds[series.used + 1] = last;
      series.used += 2;
    }
  }

  /** Series that the interval saw; `begin` the next one when they are written. */
  seen(): StoredSeries[] {
    const seen = this.#before.filter(isNew);
    this.#series.forEach((series) => {
      if (isNew(series)) seen.push(series);
    });
    return seen;
  }

  /** Streams that ended within the interval. */
  ended(): readonly Ended[] {
    return this.#ended;
  }

  begin(nowMs: number): void {
    this.#before = [];
    this.#ended = [];
    // A callback makes no pair of each entry, as a loop does.
    this.#series.forEach((series, key) => {
      if (series.count > 0) series.exportedMs = series.lastMs;
      series.count = 0;
      series.used = 0;
      if (nowMs - series.lastMs > IDLE_MS) this.#forget(key);
    });
  }

  /** A series whose component works for another one now continues under other attributes, and the stream of before ends. */
  #relabel(nowMs: number): void {
    this.#version = this.#working.version;
    for (const series of this.#series.values()) {
      const attributes = this.#working.of(series.component, series.plain);
      if (attributes === series.attributes) continue;
      const room = this.#before.length + this.#ended.length < 2 * this.#maxSeries;
      if (isNew(series) && room) this.#before.push({ ...series });
      if ((isNew(series) || series.exportedMs > 0) && room)
        this.#ended.push({ series, attributes: series.attributes, atMs: nowMs });
      Object.assign(series, {
        attributes,
        count: 0,
        seconds: [],
        used: 0,
        startMs: series.lastMs,
        exportedMs: series.lastMs,
      });
    }
  }

  #begin(aggregate: SeriesAggregate): StoredSeries | null {
    if (this.#unknown.has(aggregate.key)) return null;
    if (this.#series.size >= this.#maxSeries) {
      this.#leftOut += 1;
      return null;
    }
    const metric = seriesMetric(aggregate.key);
    if (metric === null) {
      if (this.#unknown.size < this.#maxSeries) this.#unknown.add(aggregate.key);
      return null;
    }
    const series: StoredSeries = {
      ...metric,
      plain: metric.attributes,
      attributes: this.#working.of(metric.component, metric.attributes),
      startMs: aggregate.lastTimeMs,
      last: aggregate.last * metric.scale,
      lastMs: 0,
      count: 0,
      min: 0,
      max: 0,
      seconds: [],
      used: 0,
      exportedMs: 0,
    };
    this.#series.set(aggregate.key, series);
    this.#components = null;
    return series;
  }

  #forget(key: string): void {
    this.#series.delete(key);
    this.#components = null;
  }
}

function isNew(series: StoredSeries): boolean {
  return series.count > 0 && series.lastMs > series.exportedMs;
}
