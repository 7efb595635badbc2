// Opened incidents: one series each of the newest, whose value is when it was opened, by which a dashboard marks each of them.
// Not an instrument of the SDK: that keeps whatever it was ever shown, and incidents keep coming.

import { ValueType } from '@opentelemetry/api';
import { AggregationTemporality, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';
import catalog from '#catalog/self-metrics.json' with { type: 'json' };
import { remember } from '../../helpers/remember.ts';
import { componentText } from '../../model/component.ts';
import type { Incident } from '../../model/incident.ts';

/** Each is labels that a store keeps. */
const MAX_OPENED = 32;
const NAME = 'faultline.incident.opened';
const [unit = '', , description = ''] = catalog.metrics[NAME].map(String);
const descriptor = { name: NAME, unit, description, valueType: ValueType.DOUBLE };

interface Opened {
  readonly value: number;
  readonly attributes: Readonly<Record<string, string | boolean>>;
}

export class OpenedIncidents {
  readonly #opened = new Map<string, Opened>();

  constructor(restored: readonly Incident[]) {
    for (const incident of restored) this.incident(incident);
  }

  /** Labels are those of the opening: an incident whose root or severity changes later stays one series. */
  incident({ id, openedMs, severity, root, made, mergedInto }: Incident): void {
    if (mergedInto !== null) this.#opened.delete(id);
    if (mergedInto !== null || this.#opened.has(id)) return;
    const component = root.component === null ? '' : componentText(root.component);
    const injected = made === 'injected' ? { injected: true } : {};
    const attributes = { incident: id, severity, kind: root.kind, component, ...injected };
    remember(this.#opened, id, { value: openedMs / 1000, attributes }, MAX_OPENED);
  }

  metric(nowMs: number): MetricData {
    const now: [number, number] = [Math.floor(nowMs / 1000), Math.round((nowMs % 1000) * 1e6)];
    const dataPoints = [...this.#opened.values()].map((each) => ({ startTime: now, endTime: now, ...each }));
    const aggregationTemporality = AggregationTemporality.CUMULATIVE;
    return { descriptor, aggregationTemporality, dataPointType: DataPointType.GAUGE, dataPoints };
  }
}
