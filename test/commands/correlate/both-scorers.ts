// Both scorers on one input: a service that gets slow, what PowerTrace's scorer makes of it, and what ours does.

import assert from 'node:assert/strict';
import { correlateRecords } from '../../../src/commands/correlate/own/correlate-records.ts';
import { type PowerTraceIncident, powerTraceReport } from '../../../src/commands/correlate/powertrace/incidents.ts';
import type { DeviceEvent, Records } from '../../../src/commands/correlate/records.ts';
import { componentText } from '../../../src/model/component.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { DEFAULTS, event, points } from './files.ts';

export const NORMAL = [100, 102, 99, 101, 100, 98, 100, 101];
export const BAD = [300, 320, 310];
/** Slow from 80 s on. */
export const SLOW = points([...NORMAL, ...BAD, 100, 101]);
export const CAPPED = { source: 'nvml', type: 'power_cap_applied', severity: 'high', metadata: { power_cap_watts: 250, previous_power_cap_watts: 400 } } as const; // biome-ignore format: one line

/** A sag that reaches a GPU, and so its services. */
export const sag = (atS: number): DeviceEvent[] => [event(atS), event(atS + 1, { ...CAPPED, device: 'GPU-0' })];

export const theirs = (given: Records): readonly PowerTraceIncident[] => powerTraceReport(given, DEFAULTS).incidents;
export const ours = (given: Records): readonly Incident[] => correlateRecords(given, 600).incidents;

export const linksOf = ({ chain }: PowerTraceIncident): string[] =>
  chain.steps.map((step) => `${step.event.type} on ${step.event.device}`);

/** The one that the slow service is in. */
export function slowOf(incidents: readonly Incident[]): Incident {
  const [slow, ...more] = incidents.filter(({ events }) => events.some(({ kind }) => kind === 'service.degraded'));
  assert.ok(slow !== undefined && more.length === 0, `${incidents.length} incidents`);
  return slow;
}

/** Of the incident that the slow service is in. */
export function rootOf(incidents: readonly Incident[]): string {
  const { rootKnown, root } = slowOf(incidents);
  return rootKnown && root.component !== null ? `${root.kind} on ${componentText(root.component)}` : 'not known';
}
