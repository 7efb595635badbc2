// Families from what the OpenTelemetry SDK collected: the daemon's own metrics, in the shape of the writer.

import { DataPointType, type MetricData, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { Family, FamilySample, Labels } from './metric-family.ts';
import { labelName, metricName, unitName } from './metric-names.ts';

export function familiesOf(collected: ResourceMetrics): Family[] {
  return collected.scopeMetrics.flatMap(({ metrics }) => metrics.flatMap((metric) => familyOf(metric) ?? []));
}

function familyOf(metric: MetricData): Family | null {
  const { name, unit, description: help } = metric.descriptor;
  const head = { help, unit: unitName(unit) };
  switch (metric.dataPointType) {
    case DataPointType.GAUGE:
      return { ...head, name: metricName(name, unit, 'gauge'), type: 'gauge', samples: plain(metric.dataPoints) };
    case DataPointType.SUM: {
      const kind = metric.isMonotonic ? 'counter' : 'updowncounter';
      const type = metric.isMonotonic ? 'counter' : 'gauge';
      return { ...head, name: metricName(name, unit, kind), type, samples: plain(metric.dataPoints) };
    }
    case DataPointType.HISTOGRAM:
      return { ...head, name: metricName(name, unit, 'histogram'), type: 'histogram', samples: buckets(metric) };
    default:
      return null; // nothing of ours is an exponential histogram, and the text formats have none
  }
}

interface Point {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: number;
}

function plain(points: readonly Point[]): FamilySample[] {
  return points.map(({ attributes, value }) => ({ suffix: '', labels: labelsOf(attributes), value }));
}

function buckets(metric: MetricData & { dataPointType: DataPointType.HISTOGRAM }): FamilySample[] {
  return metric.dataPoints.flatMap(({ attributes, value }) => {
    const labels = labelsOf(attributes);
    const { boundaries, counts } = value.buckets;
    let below = 0;
    const rows: FamilySample[] = [...boundaries.map(String), '+Inf'].map((le, i) => {
      below += counts[i] ?? 0;
      return { suffix: '_bucket', labels: [...labels, ['le', le]], value: below };
    });
    rows.push({ suffix: '_sum', labels, value: value.sum ?? 0 });
    rows.push({ suffix: '_count', labels, value: value.count });
    return rows;
  });
}

/** Sorted by name; attributes whose names become one are joined with ";", as the specification wants. */
export function labelsOf(attributes: Readonly<Record<string, unknown>>): Labels {
  const values = new Map<string, string>();
  for (const [attribute, value] of Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const name = labelName(attribute);
    const before = values.get(name);
    values.set(name, before === undefined ? String(value) : `${before};${String(value)}`);
  }
  return [...values].sort(([a], [b]) => (a < b ? -1 : 1));
}
