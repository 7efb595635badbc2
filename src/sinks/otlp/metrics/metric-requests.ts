// Metric requests: an interval's series as ready-made ResourceMetrics, each point with the sample's own time.

import { type HrTime, ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { extremeMetrics, type Metric, metricNamed } from '../../metric-table.ts';
import { hrTime } from '../values.ts';
import type { HealthPoint } from './health-store.ts';
import type { StoredSeries } from './series-store.ts';

/** More in one request make neither side faster, and collectors refuse more than 4 MiB. */
const MOST_POINTS = 5000;

interface Point {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly attributes: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricRequest {
  readonly metrics: ResourceMetrics;
  readonly points: number;
}

export interface Interval {
  readonly series: readonly StoredSeries[];
  readonly health: readonly HealthPoint[];
  readonly nowMs: number;
  /** Every second of gauges instead of only the last one: something is happening. */
  readonly everySecond: boolean;
}

export function metricRequests(resource: Resource, version: string, interval: Interval): MetricRequest[] {
  const byMetric = new Map<string, { metric: Metric; points: Point[] }>();
  const listOf = (metric: Metric): Point[] => {
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
  const endTime = hrTime(interval.nowMs);
  for (const { metric, attributes, value, startMs } of interval.health) {
    listOf(metricNamed(metric)).push({ startTime: hrTime(startMs), endTime, attributes, value });
  }
  return packed(byMetric.values()).map(({ list, points }) => ({
    metrics: { resource, scopeMetrics: [{ scope: { name: 'faultline', version }, metrics: list }] },
    points,
  }));
}

function addSeries(series: StoredSeries, points: Point[], everySecond: boolean): void {
  const { attributes, seconds } = series;
  if (everySecond && series.metric.instrument === 'gauge') {
    for (let at = 0; at + 1 < seconds.length; at += 2) {
      const timeMs = seconds[at] ?? 0;
      if (timeMs <= series.exportedMs) continue;
      const endTime = hrTime(timeMs);
      points.push({ startTime: endTime, endTime, attributes, value: seconds[at + 1] ?? 0 });
    }
    return;
  }
  const endTime = hrTime(series.lastMs);
  const startTime = series.metric.instrument === 'gauge' ? endTime : hrTime(series.startMs);
  points.push({ startTime, endTime, attributes, value: series.last });
}

const companions = new Map<string, { readonly min: Metric; readonly max: Metric }>();

function addExtremes(series: StoredSeries, listOf: (metric: Metric) => Point[]): void {
  const { metric, attributes } = series;
  const pair = companions.get(metric.name) ?? extremeMetrics(metric);
  companions.set(metric.name, pair);
  const endTime = hrTime(series.lastMs);
  listOf(pair.min).push({ startTime: endTime, endTime, attributes, value: series.min });
  listOf(pair.max).push({ startTime: endTime, endTime, attributes, value: series.max });
}

function packed(
  metrics: Iterable<{ readonly metric: Metric; readonly points: readonly Point[] }>,
): { list: MetricData[]; points: number }[] {
  const requests: { list: MetricData[]; points: number }[] = [];
  for (const { metric, points } of metrics) {
    for (let at = 0; at < points.length; ) {
      let request = requests.at(-1);
      if (request === undefined || request.points >= MOST_POINTS) {
        request = { list: [], points: 0 };
        requests.push(request);
      }
      const part = points.slice(at, at + MOST_POINTS - request.points);
      request.list.push(metricData(metric, part));
      request.points += part.length;
      at += part.length;
    }
  }
  return requests;
}

function metricData({ name, unit, description, instrument }: Metric, dataPoints: Point[]): MetricData {
  const common = {
    descriptor: { name, unit, description, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPoints,
  };
  if (instrument === 'gauge') return { ...common, dataPointType: DataPointType.GAUGE };
  return { ...common, dataPointType: DataPointType.SUM, isMonotonic: instrument === 'counter' };
}
