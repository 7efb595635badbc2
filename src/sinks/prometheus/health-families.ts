// hw_errors_total and hw_status: what events and open incidents say of the hardware, as families.

import type { HealthPoint } from '../health-store.ts';
import { type Metric, metricNamed } from '../metric-table.ts';
import type { LabelBook } from '../work/label-book.ts';
import { labelsOf } from './from-otel.ts';
import type { Family, FamilySample } from './metric-family.ts';
import { metricName } from './metric-names.ts';
import { WorkingLabels } from './working-labels.ts';

/** By the attributes of a point, which are the same object at every scrape. */
const written = new WeakMap<object, WorkingLabels>();

export function healthFamilies(points: readonly HealthPoint[], book: LabelBook): Family[] {
  const families = new Map<Metric, FamilySample[]>();
  for (const { metric: name, component, attributes, value } of points) {
    const metric = metricNamed(name);
    const samples = families.get(metric) ?? [];
    families.set(metric, samples);
    const labels = written.get(attributes) ?? new WorkingLabels(component, labelsOf(attributes));
    written.set(attributes, labels);
    samples.push({ suffix: '', labels: labels.now(book), value });
  }
  return [...families].map(([{ name, unit, instrument, description }, samples]) => ({
    name: metricName(name, unit, instrument),
    type: instrument === 'counter' ? 'counter' : 'gauge',
    help: description,
    unit: '',
    samples,
  }));
}
