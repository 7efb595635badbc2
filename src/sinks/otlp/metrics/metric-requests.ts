// Metric requests: what an interval saw, sorted by metric and cut into requests, each point with the sample's own time.

import { extremeMetrics, type Metric, metricNamed } from '../../metric-table.ts';
import { timeMs } from '../values.ts';
import type { MetricPoints } from './metric-encoder.ts';
import type { Point } from './point-block.ts';
import type { Ended, StoredSeries } from './series-store.ts';
import type { PointAttributes } from './working-attributes.ts';

/** More in one request make neither side faster, and collectors refuse more than 4 MiB. */
const MOST_POINTS = 5000;

export interface MetricRequest {
  readonly metrics: MetricPoints[];
  points: number;
}

/** The newest point of a stream that no samples make. */
export interface StreamPoint {
  readonly metric: string;
  readonly attributes: PointAttributes;
  readonly value: number;
  readonly startMs: number;
}

export interface Interval {
  readonly series: readonly StoredSeries[];
  readonly health: readonly StreamPoint[];
  readonly ended: readonly Ended[];
  /** Other streams that ended. */
  readonly gone: readonly StreamPoint[];
  readonly nowMs: number;
  /** Every second of gauges instead of only the last one: something is happening. */
  readonly everySecond: boolean;
}

type ListOf = (metric: Metric) => Point[];

export function metricRequests(interval: Interval): MetricRequest[] {
  const byMetric = new Map<string, { metric: Metric; points: Point[] }>();
  const listOf: ListOf = (metric) => {
    const known = byMetric.get(metric.name);
    if (known !== undefined) return known.points;
    const points: Point[] = [];
    byMetric.set(metric.name, { metric, points });
    return points;
  };
  for (const series of interval.series) {
    addSeries(series, listOf(series.metric), interval.everySecond);
    if (series.extremes) addExtremes(series, listOf);
  }
  const endMs = timeMs(interval.nowMs);
  for (const { metric, attributes, value, startMs } of interval.health) {
    listOf(metricNamed(metric)).push({ startMs: timeMs(startMs), endMs, attributes, value });
  }
  // Behind the last points of the same streams.
  for (const { series, attributes, atMs } of interval.ended) {
    const stale = staleAt(attributes, timeMs(atMs));
    listOf(series.metric).push(stale);
    if (series.extremes) for (const each of Object.values(companionsOf(series.metric))) listOf(each).push(stale);
  }
  for (const { metric, attributes } of interval.gone) listOf(metricNamed(metric)).push(staleAt(attributes, endMs));
  return cut(byMetric.values());
}

/** Says that the stream has no value any more, as a scrape target that is gone does. */
function staleAt(attributes: PointAttributes, endMs: number): Point {
  return { startMs: endMs, endMs, attributes, value: 0, stale: true };
}

function addSeries(series: StoredSeries, points: Point[], everySecond: boolean): void {
  const { attributes, seconds, used } = series;
  const gauge = series.metric.instrument === 'gauge';
  if (everySecond && gauge) {
    for (let at = 0; at + 1 < used; at += 2) {
      const endMs = timeMs(seconds[at] ?? 0);
      if (endMs > series.exportedMs) points.push({ startMs: endMs, endMs, attributes, value: seconds[at + 1] ?? 0 });
    }
    return;
  }
  const endMs = timeMs(series.lastMs);
  points.push({ startMs: gauge ? endMs : timeMs(series.startMs), endMs, attributes, value: series.last });
}

const companions = new Map<string, { readonly min: Metric; readonly max: Metric }>();

function companionsOf(metric: Metric): { readonly min: Metric; readonly max: Metric } {
  const pair = companions.get(metric.name) ?? extremeMetrics(metric);
  companions.set(metric.name, pair);
  return pair;
}

function addExtremes({ metric, attributes, lastMs, min, max }: StoredSeries, listOf: ListOf): void {
  const pair = companionsOf(metric);
  const endMs = timeMs(lastMs);
  listOf(pair.min).push({ startMs: endMs, endMs, attributes, value: min });
  listOf(pair.max).push({ startMs: endMs, endMs, attributes, value: max });
}

function cut(metrics: Iterable<{ readonly metric: Metric; readonly points: readonly Point[] }>): MetricRequest[] {
  const requests: MetricRequest[] = [];
  for (const { metric, points } of metrics) {
    for (let at = 0; at < points.length; ) {
      let request = requests.at(-1);
      if (request === undefined || request.points >= MOST_POINTS) {
        request = { metrics: [], points: 0 };
        requests.push(request);
      }
      const room = MOST_POINTS - request.points;
      const part = at === 0 && points.length <= room ? points : points.slice(at, at + room);
      request.metrics.push({ metric, points: part });
      request.points += part.length;
      at += part.length;
    }
  }
  return requests;
}
