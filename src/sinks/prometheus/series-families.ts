// Series families: the series table's snapshots as families, by the names that OTLP uses too.

import { extremeMetrics, type Metric, type SeriesMetric } from '../metric-table.ts';
import type { LabelBook } from '../work/label-book.ts';
import { labelsOf } from './from-otel.ts';
import type { Family, FamilySample } from './metric-family.ts';
import { metricName, unitName } from './metric-names.ts';
import type { Snapshot } from './series-table.ts';
import { WorkingLabels } from './working-labels.ts';

/** A series with its labels, which are made again only where it works for another one. */
export interface SeriesRow {
  readonly component: string;
  readonly metric: Metric;
  readonly min: Metric | null;
  readonly max: Metric | null;
  readonly labels: WorkingLabels;
  readonly scale: number;
}

export function seriesRow({ metric, attributes, extremes, scale, component }: SeriesMetric): SeriesRow {
  const { min, max } = extremes ? extremeMetrics(metric) : { min: null, max: null };
  return { component, metric, min, max, labels: new WorkingLabels(component, labelsOf(attributes)), scale };
}

export function seriesFamilies(snapshots: Iterable<Snapshot<SeriesRow>>, book: LabelBook): Family[] {
  const families = new Map<
    string,
    { readonly metric: Metric; readonly help: string; readonly samples: FamilySample[] }
  >();
  const add = (metric: Metric, help: string, { labels, scale }: SeriesRow, value: number) => {
    const own = labels.now(book);
    const family = families.get(metric.name) ?? { metric, help, samples: [] };
    families.set(metric.name, family);
    family.samples.push({ suffix: '', labels: own, value: value * scale });
  };
  for (const { row, last, range } of snapshots) {
    add(row.metric, row.metric.description || `Series ${row.metric.name} as its source gives it`, row, last);
    if (range === null || row.min === null || row.max === null) continue;
    add(row.min, `Lowest value of ${row.metric.name} in the last minute`, row, range.min);
    add(row.max, `Highest value of ${row.metric.name} in the last minute`, row, range.max);
  }
  return [...families.values()].map(({ metric, help, samples }) => ({
    ...namesOf(metric),
    type: metric.instrument === 'counter' ? 'counter' : 'gauge',
    help,
    samples,
  }));
}

const names = new WeakMap<Metric, Pick<Family, 'name' | 'unit'>>();

function namesOf(metric: Metric): Pick<Family, 'name' | 'unit'> {
  const { name, unit, instrument } = metric;
  const known = names.get(metric) ?? { name: metricName(name, unit, instrument), unit: unitName(unit) };
  names.set(metric, known);
  return known;
}
