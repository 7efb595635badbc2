// hw_errors_total and hw_status: what events and open incidents say of the hardware, as families.

import type { HealthPoint } from '../health-store.ts';
import { type Metric, metricNamed } from '../metric-table.ts';
import { labelsOf } from './from-otel.ts';
import type { Family, FamilySample } from './metric-family.ts';
import { metricName } from './metric-names.ts';

export function healthFamilies(points: readonly HealthPoint[]): Family[] {
  const families = new Map<Metric, FamilySample[]>();
  for (const { metric: name, attributes, value } of points) {
    const metric = metricNamed(name);
    const samples = families.get(metric) ?? [];
    families.set(metric, samples);
    samples.push({ suffix: '', labels: labelsOf(attributes), value });
  }
  return [...families].map(([{ name, unit, instrument, description }, samples]) => ({
    name: metricName(name, unit, instrument),
    type: instrument === 'counter' ? 'counter' : 'gauge',
    help: description,
    unit: '',
    samples,
  }));
}
