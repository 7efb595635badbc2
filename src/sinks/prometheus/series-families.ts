// Series families: the series table's snapshots as families, by the names that OTLP uses too.

import { extremeMetrics, type Metric, type SeriesMetric } from '../metric-table.ts';
import type { LabelBook } from '../work/label-book.ts';
import { labelsOf } from './from-otel.ts';
import type { Family, FamilySample, Labels } from './metric-family.ts';
import { metricName, unitName } from './metric-names.ts';
import type { Snapshot } from './series-table.ts';
import { WorkingLabels } from './working-labels.ts';

/** A series with its labels, which are made again only where it works for another one. */
export interface SeriesRow {
  readonly component: string;
  readonly value: RowMetric;
  readonly min: RowMetric | null;
  readonly max: RowMetric | null;
  readonly labels: WorkingLabels;
  readonly scale: number;
}

/** What a series says under a name: each scrape writes into the same sample, so that none is thrown away. */
interface RowMetric {
  readonly metric: Metric;
  readonly help: string;
  readonly sample: { readonly suffix: ''; labels: Labels; value: number };
}

const NO_LABELS: Labels = [];

export function seriesRow({ metric, attributes, extremes, scale, component }: SeriesMetric): SeriesRow {
  const { min, max } = extremes ? extremeMetrics(metric) : { min: null, max: null };
  const { name, description } = metric;
  return {
    component,
    value: rowMetric(metric, description || `Series ${name} as its source gives it`),
    min: min && rowMetric(min, `Lowest value of ${name} in the last minute`),
    max: max && rowMetric(max, `Highest value of ${name} in the last minute`),
    labels: new WorkingLabels(component, labelsOf(attributes)),
    scale,
  };
}

function rowMetric(metric: Metric, help: string): RowMetric {
  return { metric, help, sample: { suffix: '', labels: NO_LABELS, value: 0 } };
}

/** Good until they are asked for again. */
export function seriesFamilies(snapshots: Iterable<Snapshot<SeriesRow>>, book: LabelBook): Family[] {
  const families = new Map<
    string,
    { readonly metric: Metric; readonly help: string; readonly samples: FamilySample[] }
  >();
  const add = ({ metric, help, sample }: RowMetric, { labels, scale }: SeriesRow, value: number) => {
    sample.labels = labels.now(book);
    sample.value = value * scale;
    const family = families.get(metric.name);
    if (family === undefined) families.set(metric.name, { metric, help, samples: [sample] });
    else family.samples.push(sample);
  };
  for (const { row, last, range } of snapshots) {
    add(row.value, row, last);
    if (range === null || row.min === null || row.max === null) continue;
    add(row.min, row, range.min);
    add(row.max, row, range.max);
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
