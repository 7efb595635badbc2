// PowerTrace's sample and each variant of it, to the digit. Needs ../shared/data.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { correlateRecords } from '../../src/commands/correlate/own/correlate-records.ts';
import { powerTraceDocument } from '../../src/commands/correlate/powertrace/document.ts';
import { type PowerTraceOptions, powerTraceReport } from '../../src/commands/correlate/powertrace/incidents.ts';
import { readRecords } from '../../src/commands/correlate/read-records.ts';
import type { Records } from '../../src/commands/correlate/records.ts';
import { pointsOf, seriesOf } from '../../src/commands/correlate/series.ts';
import { installationRoot } from '../../src/native.ts';

const FOLDER = join(installationRoot(), '..', 'shared', 'data', 'powertrace');
const skip = existsSync(FOLDER) ? false : 'the sample is not on this machine';

function sample(): Records {
  const path = (name: string): string => join(FOLDER, `${name}.json`);
  return readRecords({ events: path('events'), traces: path('traces'), topology: path('topology') }, assert.fail, true);
}

interface Incident {
  readonly overall_confidence: number;
  readonly low_confidence: boolean;
  readonly duration_seconds: number;
  readonly causal_chain: readonly {
    event_id: string;
    confidence: number | null;
    lag_seconds: number;
    caused_by: string | null;
  }[];
  readonly impact: Readonly<Record<string, number | null>>;
  readonly warnings: readonly string[];
  readonly unmapped_devices: readonly string[];
}

function incidentOf(options: Partial<PowerTraceOptions> = {}, records: Records = sample()): Incident {
  const report = powerTraceReport(records, { window: 5, lag: 60, baseline: 600, confidence: 0.6, ...options });
  const { incidents } = (powerTraceDocument(report, 0) as { report: { incidents: Incident[] } }).report;
  const [first] = incidents;
  assert.ok(first !== undefined && incidents.length === 1);
  return first;
}

const ids = ({ causal_chain: chain }: Incident): string[] => chain.map(({ event_id: id }) => id).slice(0, -1);

test('the sample with the defaults', { skip }, () => {
  const incident = incidentOf();
  const { causal_chain: chain, impact } = incident;
  assert.deepEqual(
    [
      incident.overall_confidence,
      incident.low_confidence,
      incident.duration_seconds,
      incident.warnings,
      incident.unmapped_devices,
    ],
    [0.89, false, 107, [], []],
  );
  assert.deepEqual(chain.map(({ confidence }) => confidence), [null, 0.891, 0.872, 0.893, 0.896, 0.89]); // biome-ignore format: one line
  assert.deepEqual(chain.map(({ lag_seconds: lag }) => lag), [10, 1, 1, 1, 3, 0]); // biome-ignore format: one line
  assert.deepEqual(chain.map(({ caused_by: by }) => by), [null, 'evt_001', 'evt_002', 'evt_003', 'evt_004', 'evt_005']); // biome-ignore format: one line
  assert.deepEqual(impact, {
    p99_baseline_ms: 528,
    p99_peak_ms: 2250,
    p99_change_percent: 326.1,
    p99_first_anomaly_ms: 2100,
    p99_first_change_percent: 297.7,
    error_rate_baseline_percent: 0.1,
    error_rate_peak_percent: 5.1,
    error_rate_first_anomaly_percent: 4.3,
    throughput_baseline_rps: 141,
    throughput_peak_rps: 55,
    throughput_first_anomaly_rps: 61,
    throughput_first_change_percent: -56.7,
    estimated_cost_impact_usd: null,
  });
  assert.equal(incidentOf({ gpuRate: 32.77 }).impact.estimated_cost_impact_usd, 0.97);
});

test('its variants of flags', { skip }, () => {
  for (const baseline of [200, 300]) {
    const { impact } = incidentOf({ baseline });
    assert.deepEqual([impact.p99_baseline_ms, impact.throughput_baseline_rps], [529.5, 140]);
  }
  for (const baseline of [1200, 1800]) assert.equal(incidentOf({ baseline }).impact.p99_baseline_ms, 528);
  const of = (lag: number) => [
    incidentOf({ lag }).overall_confidence,
    ids(incidentOf({ lag }))[0],
    ids(incidentOf({ lag })).length,
  ];
  assert.deepEqual([of(30), of(9.5), of(8), of(5)], [[0.88, 'evt_001', 5], [0.85, 'evt_002', 4], [0.85, 'evt_003', 3], [0.85, 'evt_005', 1]]); // biome-ignore format: one line
});

test('its variants of inputs', { skip }, () => {
  const { events, services, mappings, spans } = sample();
  const points = services.flatMap(pointsOf);
  const unmapped = incidentOf(
    {},
    { events, services, spans, mappings: mappings.filter(({ device }) => device !== 'PDU-B-rack-14') },
  );
  assert.deepEqual(
    [unmapped.overall_confidence, unmapped.unmapped_devices, unmapped.low_confidence, unmapped.warnings.length],
    [0.85, ['PDU-B-rack-14'], false, 1],
  );
  const elsewhere = incidentOf(
    {},
    { events, services, spans, mappings: mappings.map((each) => ({ ...each, services: ['another'] })) },
  );
  assert.deepEqual([elsewhere.overall_confidence, ids(elsewhere).length, elsewhere.warnings], [0.81, 5, []]);
  const broken = incidentOf({}, { events, services: seriesOf(points.map((each, index) => (index === 0 ? { ...each, p99: Number.NaN } : each))), mappings, spans }); // biome-ignore format: one line
  assert.ok(Number.isNaN(broken.impact.p99_baseline_ms) && ids(broken).length === 5);
  const later = incidentOf({}, { events: events.map((each, index) => (index === 0 ? { ...each, at: each.at + 0.25 } : each)), services, mappings, spans }); // biome-ignore format: one line
  assert.equal(later.duration_seconds, 106.8);
});

test('our own engine tells the sample as one incident of the feed', { skip }, () => {
  const { incidents } = correlateRecords(sample(), 600);
  assert.deepEqual(incidents.map(({ root, events }) => [root?.kind, root?.component?.id, events.length]), [['power.voltage_sag', 'PDU-B-rack-14', 6]]); // biome-ignore format: one line
});
