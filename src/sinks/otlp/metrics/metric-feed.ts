// Metric feed: collects series, events and incidents, and once per export interval makes the requests of it.

import type { Resource } from '@opentelemetry/resources';
import type { FaultEvent } from '../../../model/event.ts';
import type { Incident } from '../../../model/incident.ts';
import { type HealthPoint, HealthStore } from '../../health-store.ts';
import type { SeriesAggregate } from '../../sink.ts';
import { LabelBook } from '../../work/label-book.ts';
import { MetricEncoder } from './metric-encoder.ts';
import { metricRequests, type StreamPoint } from './metric-requests.ts';
import { SeriesStore } from './series-store.ts';
import { WorkingAttributes } from './working-attributes.ts';

export interface MetricFeedOptions {
  readonly resource: Resource;
  readonly version: string;
  readonly intervalMs: number;
  readonly maxSeries: number;
  /** For whom components work; left out: for no job. */
  readonly labels?: LabelBook;
  readonly now: () => number;
}

/** One request and the number of points in it. */
export interface EncodedMetrics {
  readonly bytes: Uint8Array;
  readonly points: number;
}

/** How long after the last news of an incident gauges go out with every second. */
const DETAIL_MS = 30_000;

export class MetricFeed {
  readonly #options: MetricFeedOptions;
  readonly #store: SeriesStore;
  readonly #health: HealthStore;
  readonly #encoder: MetricEncoder;
  readonly #working: WorkingAttributes;
  /** Points of states and of the work itself that were exported last, and the version of the work then. */
  #points: readonly StreamPoint[] = [];
  #version = -1;
  #dueMs: number;
  #detailUntilMs = 0;

  constructor(options: MetricFeedOptions) {
    this.#options = options;
    this.#working = new WorkingAttributes(options.labels ?? new LabelBook());
    this.#store = new SeriesStore(options.maxSeries, this.#working);
    this.#health = new HealthStore(options.now());
    this.#encoder = new MetricEncoder(options.resource, { name: 'faultline', version: options.version });
    this.#dueMs = options.now() + options.intervalMs;
  }

  get size(): number {
    return this.#store.size;
  }

  get leftOut(): number {
    return this.#store.leftOut;
  }

  series(aggregates: readonly SeriesAggregate[]): void {
    this.#store.take(aggregates, this.#options.now());
  }

  event(event: FaultEvent): void {
    this.#health.event(event);
  }

  incident(incident: Incident): void {
    this.#health.incident(incident);
    this.#detailUntilMs = this.#options.now() + DETAIL_MS;
  }

  /** Whether the export interval is over. */
  isDue(): boolean {
    return this.#options.now() >= this.#dueMs;
  }

  /** The requests of what the interval saw so far; begins the next one. */
  next(): EncodedMetrics[] {
    const { now, intervalMs } = this.#options;
    const nowMs = now();
    this.#dueMs = Math.max(this.#dueMs + intervalMs, nowMs + intervalMs / 2);
    const everySecond = nowMs - intervalMs < this.#detailUntilMs;
    const health = [...this.#states(), ...this.#work(nowMs)];
    const [series, ended, gone] = [this.#store.seen(), this.#store.ended(), this.#gone(health)];
    const interval = { series, health, ended, gone, nowMs, everySecond };
    const requests = metricRequests(interval).map(({ metrics, points }) => ({
      bytes: this.#encoder.encode(metrics),
      points,
    }));
    this.#store.begin(nowMs);
    return requests;
  }

  #states(): HealthPoint[] {
    return this.#health.points(this.#store.components()).map((point) => {
      if (point.component === null) return point;
      const attributes = this.#working.of(point.component, point.attributes);
      return attributes === point.attributes ? point : { ...point, attributes };
    });
  }

  #work(nowMs: number): StreamPoint[] {
    return this.#working.points().map((point) => {
      return { metric: point.metric, attributes: this.#working.ofPoint(point), value: point.value, startMs: nowMs };
    });
  }

  /** Streams of the last interval that this one has not: only where the work changed in between. */
  #gone(points: readonly StreamPoint[]): readonly StreamPoint[] {
    const before = this.#points;
    this.#points = points;
    if (this.#version === this.#working.version) return [];
    this.#version = this.#working.version;
    const now = new Set(points.map(({ attributes }) => attributes));
    return before.filter(({ attributes }) => !now.has(attributes));
  }
}
