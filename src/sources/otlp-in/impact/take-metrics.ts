// Take metrics: histograms of how long requests or steps took (catalog/otlp-histograms.json, or named by the site), of services that send no spans.

import { createHash } from 'node:crypto';
import catalog from '#catalog/otlp-histograms.json' with { type: 'json' };
import type { AttributeValue } from '../../../model/event.ts';
import { plain } from '../../../model/plain.ts';
import { formatTraceparent } from '../../../model/trace.ts';
import type { Sender } from '../../sender.ts';
import type { Taken } from '../receive/signals.ts';
import type { ExponentialPoint, HistogramPoint, Metric, MetricsRequest } from '../wire/shapes.ts';
import { attributesOf } from '../wire/values.ts';
import { bucketsOf, countsOf, type Seen, since } from './histogram-points.ts';
import { Refused } from './refused.ts';
import type { Services } from './services.ts';

const UNITS = new Map(catalog.histograms.map(({ name, unit }) => [name, unit]));
const IN_MS: Readonly<Record<string, number>> = { s: 1000, ms: 1, us: 1e-3, ns: 1e-6 };
const DELTA = 1;
/** Of histograms that are not followed so many are named, with so much of their names. */
const MOST_UNKNOWN = 8;
const LONGEST_NAME = 64;
const MOST_SERIES = 4096;
/** Buckets of all series together, empty ones left out. */
const MOST_KEPT = 262_144;
/** Of a service that sent spans so long ago or less, metrics would count the same requests again. */
const SPANS_MS = 120_000;
const USUAL_PERIOD_MS = 60_000;
/** gRPC's codes that are a server's fault: UNKNOWN, DEADLINE_EXCEEDED, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS. */
const SERVER_FAULTS = new Set([2, 4, 12, 13, 14, 15]);

export class TakeMetrics {
  readonly #services: Services;
  /** Oldest word first. */
  readonly #seen = new Map<string, Seen>();
  #kept = 0;
  /** Followed, with the unit where the metric gives none. */
  readonly #units: ReadonlyMap<string, string>;
  readonly #unknown = new Set<string>();

  constructor(services: Services, histograms: readonly string[] = []) {
    this.#services = services;
    this.#units = new Map([...histograms.map((name) => [name, 's'] as const), ...UNITS]);
  }

  /** Names of histograms of times that came and are not followed, as text to show. */
  get unknown(): readonly string[] {
    return [...this.#unknown];
  }

  /** Buckets that are kept, of all series together. */
  get kept(): number {
    return this.#kept;
  }

  take(request: MetricsRequest, nowMs: number, sender: Sender): Taken {
    const refused = new Refused('data points');
    for (const [i, { resource, scopeMetrics = [] }] of request.resourceMetrics?.entries() ?? []) {
      const wanted = scopeMetrics.flatMap(({ metrics = [] }) => metrics.filter((metric) => this.#isFollowed(metric)));
      if (wanted.length === 0) continue;
      const attributes = attributesOf(resource?.attributes);
      const service = this.#services.of(attributes, sender);
      const digest = digestOf(attributes);
      for (const metric of wanted) {
        const { points, temporality } = pointsOf(metric);
        if (typeof service === 'string') refused.add(service, `resource_metrics[${i}]`, points.length);
        else if (nowMs - service.spansMs > SPANS_MS)
          for (const point of points) {
            const why = this.#point(service, metric, point, temporality, digest);
            if (why !== null) refused.add(why, `resource_metrics[${i}] ${metric.name}`);
          }
      }
    }
    return refused.taken();
  }

  #isFollowed({ name = '', unit = '', histogram, exponentialHistogram }: Metric): boolean {
    if (this.#units.has(name)) return true;
    const isDuration = (histogram ?? exponentialHistogram) !== undefined && unit in IN_MS;
    if (isDuration && this.#unknown.size < MOST_UNKNOWN) this.#unknown.add(plain(name, LONGEST_NAME));
    return false;
  }

  #point(
    service: Exclude<ReturnType<Services['of']>, string>,
    { name = '', unit }: Metric,
    point: HistogramPoint | ExponentialPoint,
    temporality: number | undefined,
    resource: string,
  ): string | null {
    const buckets = bucketsOf(point);
    const { startTimeUnixNano: startMs = 0, timeUnixNano: timeMs = 0 } = point;
    if (typeof buckets === 'string') return buckets;
    const attributes = attributesOf(point.attributes);
    const key = `${resource} ${name} ${digestOf(attributes)}`;
    const seen = temporality === DELTA ? undefined : this.#seen.get(key);
    if (temporality !== DELTA) this.#keep(key, { startMs, timeMs, counts: countsOf(buckets) });
    // What a series had before it was first heard of may be of days.
    if (temporality !== DELTA && seen === undefined) return null;
    const scale = IN_MS[unit ?? ''] ?? IN_MS[this.#units.get(name) ?? 's'] ?? 1000;
    const beganMs = temporality === DELTA ? startMs : (seen?.timeMs ?? 0);
    const periodMs = beganMs > 0 && timeMs > beganMs ? timeMs - beganMs : USUAL_PERIOD_MS;
    const [exemplar] = [...(point.exemplars ?? [])].sort((a, b) => (b.asDouble ?? 0) - (a.asDouble ?? 0));
    const { traceId = '', spanId = '' } = exemplar ?? {};
    const context = traceId.length === 32 && spanId.length === 16 ? { traceId, spanId, sampled: true } : null;
    let taken = true;
    for (const { value, count } of since(buckets, seen, startMs)) {
      const requests = { durationMs: value * scale, count, isError: isError(attributes), periodMs };
      const traceparent = context === null ? null : formatTraceparent(context);
      taken &&= this.#services.take(service, { ...requests, endMs: timeMs, traceparent });
    }
    return taken ? null : 'is of more than a minute ago or lies ahead. Compare the clocks';
  }

  #keep(key: string, seen: Seen): void {
    this.#forget(key);
    this.#seen.set(key, seen);
    this.#kept += seen.counts.size;
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= MOST_SERIES && this.#kept <= MOST_KEPT) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#kept -= this.#seen.get(key)?.counts.size ?? 0;
    this.#seen.delete(key);
  }
}

/** Attributes may be some hundred KB: a series is kept under a digest of them. */
function digestOf(attributes: ReadonlyMap<string, AttributeValue>): string {
  const sorted = [...attributes].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('base64');
}

function pointsOf({ histogram, exponentialHistogram }: Metric): {
  readonly points: readonly (HistogramPoint | ExponentialPoint)[];
  readonly temporality: number | undefined;
} {
  return {
    points: histogram?.dataPoints ?? exponentialHistogram?.dataPoints ?? [],
    temporality: (histogram ?? exponentialHistogram)?.aggregationTemporality,
  };
}

function isError(attributes: ReadonlyMap<string, AttributeValue>): boolean {
  const code = Number(attributes.get('http.response.status_code') ?? attributes.get('http.status_code') ?? 0);
  const grpc = Number(attributes.get('rpc.grpc.status_code') ?? 0);
  return attributes.has('error.type') || code >= 500 || SERVER_FAULTS.has(grpc);
}
