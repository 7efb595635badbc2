// hw_errors_total and hw_status: what events and open incidents say of the hardware, as families.

import type { HealthPoint } from '../health-store.ts';
import { type Metric, metricNamed } from '../metric-table.ts';
import type { LabelBook } from '../work/label-book.ts';
import { labelsOf } from './from-otel.ts';
import type { Family, FamilySample } from './metric-family.ts';
import { metricName } from './metric-names.ts';
import { withWork } from './working-labels.ts';

export function healthFamilies(points: readonly HealthPoint[], book: LabelBook): Family[] {
  const families = new Map<Metric, FamilySample[]>();
  for (const { metric: name, component, attributes, value } of points) {
    const metric = metricNamed(name);
    const samples = families.get(metric) ?? [];
    families.set(metric, samples);
    const work = component === null ? null : book.of(component);
    samples.push({ suffix: '', labels: withWork(labelsOf(attributes), work), value });
  }
  return [...families].map(([{ name, unit, instrument, description }, samples]) => ({
    name: metricName(name, unit, instrument),
    type: instrument === 'counter' ? 'counter' : 'gauge',
    help: description,
    unit: '',
    samples,
  }));
}
