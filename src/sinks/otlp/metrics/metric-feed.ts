// Metric feed: collects series, events and incidents, and once per export interval makes the requests of it.

import type { Resource } from '@opentelemetry/resources';
import type { FaultEvent } from '../../../model/event.ts';
import type { Incident } from '../../../model/incident.ts';
import { HealthStore } from '../../health-store.ts';
import type { SeriesAggregate } from '../../sink.ts';
import { MetricEncoder } from './metric-encoder.ts';
import { metricRequests } from './metric-requests.ts';
import { SeriesStore } from './series-store.ts';

export interface MetricFeedOptions {
  readonly resource: Resource;
  readonly version: string;
  readonly intervalMs: number;
  readonly maxSeries: number;
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
  #dueMs: number;
  #detailUntilMs = 0;

  constructor(options: MetricFeedOptions) {
    this.#options = options;
    this.#store = new SeriesStore(options.maxSeries);
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
    this.#store.take(aggregates);
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
    const health = this.#health.points(this.#store.components());
    const series = this.#store.seen();
    const requests = metricRequests({ series, health, nowMs, everySecond }).map(({ metrics, points }) => ({
      bytes: this.#encoder.encode(metrics),
      points,
    }));
    this.#store.begin(nowMs);
    return requests;
  }
}
