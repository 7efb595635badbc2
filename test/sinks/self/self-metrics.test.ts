// The daemon's own metrics: what is counted, what is looked up, and that two readers take nothing from each other.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import catalog from '#catalog/self-metrics.json' with { type: 'json' };
import { componentText } from '../../../src/model/component.ts';
import type { FaultEvent } from '../../../src/model/event.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { makeEvent } from '../../../src/model/make-event.ts';
import { familiesOf } from '../../../src/sinks/prometheus/from-otel.ts';
import type { SelfInputs } from '../../../src/sinks/self/self-inputs.ts';
import { SelfMetrics } from '../../../src/sinks/self/self-metrics.ts';
import type { SourceCounts, SourceHealth } from '../../../src/sources/source.ts';
import { incident } from '../../incidents/sample.ts';

const START = 1_700_000_000_000;

function source(name: string, status: SourceHealth['status'], counts?: SourceCounts) {
  return {
    name,
    health: () => [{ source: name, status, detail: '', remedy: null }],
    ...(counts === undefined ? {} : { counts: () => [counts] }),
  };
}

function selfOf(inputs: Partial<SelfInputs> = {}) {
  const clock = { nowMs: START };
  const self = new SelfMetrics({
    version: '1.2.3',
    now: () => clock.nowMs,
    procRoot: '/proc',
    restored: [],
    core: () => ({ series: 7, samples: 1000, edges: 3, recordsLost: 1, wakeups: 9, pendingEvents: 2 }),
    sources: () => [],
    log: () => ({ written: 4, unavailable: 1, dropped: 0, waitingBytes: 512 }),
    sinks: () => [],
    servers: () => ({ local: { refused: 2, evicted: 5 } }),
    ...inputs,
  });
  return { self, clock };
}

function event(more: Partial<FaultEvent> = {}): FaultEvent {
  const base = makeEvent('node-3', {
    kind: 'gpu.lost',
    component: { type: 'gpu', id: '0000:9b:00.0' },
    timeMs: START - 40,
    observedMs: START - 10,
    trust: 'kernel',
    source: 'kernel-log',
  });
  return { ...base, ...more };
}

function sampleIncident(more: Partial<Incident>): Incident {
  return incident(more.id ?? 'i', more);
}

/** `name{label="value"} value` of every sample. */
async function samples(self: SelfMetrics, start: string): Promise<string[]> {
  return familiesOf(await self.collect())
    .flatMap(({ name, samples: list }) =>
      list.map(({ suffix, labels, value }) => {
        const text = labels.map(([label, is]) => `${label}="${is}"`).join(',');
        return `${name}${suffix}${text === '' ? '' : `{${text}}`} ${value}`;
      }),
    )
    .filter((line) => line.startsWith(start))
    .sort();
}

test('every metric that exists is in the table, with its unit and kind', async () => {
  const { self } = selfOf({
    sources: () => [source('pdu/a', 'works', { source: 'pdu/a', reads: 1, failures: 0, readSeconds: 1, lost: 0 })],
    sinks: () => [{ sink: 'otlp', exports: { success: 1 }, waitingItems: 1, waitingBytes: 1 }],
  });
  self.event(event());
  self.incident(sampleIncident({ revision: 1, pattern: 'gpu_fell_off_bus' }));
  self.series([{ key: 'gpu/x#power', count: 1, min: 1, max: 1, mean: 1, last: 1, lastTimeMs: START }]);
  const collected: ResourceMetrics = await self.collect();
  const found = collected.scopeMetrics.flatMap(({ metrics }) => metrics.map(({ descriptor }) => descriptor));
  assert.deepEqual(found.map(({ name }) => name).sort(), Object.keys(catalog.metrics).sort());
  for (const { name, unit } of found) {
    assert.equal(unit, catalog.metrics[name as keyof typeof catalog.metrics][0]); // a name of the table, as just shown
  }
});

test('events count by kind and severity; endings do not, and of repeats only what came on top', async () => {
  const { self } = selfOf();
  self.event(event());
  self.event(event({ count: 5 }));
  self.event(event({ count: 5 }));
  self.event(event({ id: 'other' }));
  self.event(event({ id: 'over', state: 'clear' }));
  assert.deepEqual(await samples(self, 'faultline_events'), [
    'faultline_events_total{kind="gpu.lost",severity="critical"} 6',
  ]);
});

test('open incidents count by their pattern, and are 0 once they are over', async () => {
  const { self } = selfOf();
  self.incident(sampleIncident({ id: 'a', severity: 'critical', pattern: 'gpu_fell_off_bus' }));
  self.incident(sampleIncident({ id: 'b', severity: 'error', pattern: null }));
  const name = 'faultline_patterns_open';
  const labels = '{pattern="gpu_fell_off_bus",severity="critical"}';
  assert.deepEqual(await samples(self, name), [`${name}${labels} 1`]);
  self.incident(
    sampleIncident({ id: 'a', severity: 'critical', pattern: 'gpu_fell_off_bus', state: 'resolved', revision: 2 }),
  );
  assert.deepEqual(await samples(self, name), [`${name}${labels} 0`]);
});

test('open incidents count by severity, those of an earlier run included, until they are over or merged', async () => {
  const old = sampleIncident({ id: 'old', severity: 'error', state: 'open' });
  const { self } = selfOf({ restored: [old] });
  const open = async () => (await samples(self, 'faultline_incidents_open')).filter((line) => !line.endsWith(' 0'));
  assert.deepEqual(await open(), ['faultline_incidents_open{severity="error"} 1']);
  self.incident(sampleIncident({ id: 'new', severity: 'warning', state: 'open', revision: 1 }));
  self.incident(sampleIncident({ id: 'new', severity: 'critical', state: 'open', revision: 2 }));
  assert.deepEqual(await open(), [
    'faultline_incidents_open{severity="critical"} 1',
    'faultline_incidents_open{severity="error"} 1',
  ]);
  self.incident(sampleIncident({ id: 'new', severity: 'critical', state: 'open', revision: 3, mergedInto: 'old' }));
  self.incident({ ...old, state: 'resolved', revision: 9 });
  assert.deepEqual(await open(), []);
  assert.deepEqual(
    (await samples(self, 'faultline_incidents_total')).filter((line) => !line.endsWith(' 0')),
    ['faultline_incidents_total{severity="warning"} 1'],
  );
});

test('each of the newest incidents has one series with its opening, as it was then, also when it is over', async () => {
  const { self } = selfOf();
  const opened = (id: string, more: Partial<Incident> = {}) => sampleIncident({ id, severity: 'warning', state: 'open', revision: 1, openedMs: START, ...more }); // biome-ignore format: short
  self.incident(opened('a'));
  self.incident(opened('a', { severity: 'critical', revision: 2 }));
  self.incident(opened('a', { state: 'resolved', revision: 3 }));
  self.incident(opened('b', { openedMs: START + 1500 }));
  const { kind, component } = opened('a').root;
  const place = component === null ? '' : componentText(component);
  const series = (id: string) => `faultline_incident_opened_seconds{component="${place}",incident="${id}",kind="${kind}",severity="warning"}`; // biome-ignore format: short
  assert.deepEqual(await samples(self, 'faultline_incident_opened'), [
    `${series('a')} ${START / 1000}`,
    `${series('b')} ${START / 1000 + 1.5}`,
  ]);
  self.incident(opened('b', { mergedInto: 'a', revision: 2 }));
  assert.equal((await samples(self, 'faultline_incident_opened')).length, 1);
  for (let each = 0; each < 100; each += 1) self.incident(opened(`many ${each}`));
  assert.equal((await samples(self, 'faultline_incident_opened')).length, 32);
});

test('detection is timed from the source to the incident on disk; history read late is not', async () => {
  const { self, clock } = selfOf();
  self.event(event());
  self.event(event({ id: 'history', timeMs: START - 3_600_000 }));
  self.event(event({ id: 'repeat', count: 2 }));
  clock.nowMs = START + 50;
  const events = [event()];
  self.incident(sampleIncident({ revision: 1, events }));
  self.incident(sampleIncident({ revision: 2, events }));
  const counts = await samples(self, 'faultline_detection_duration_seconds_count');
  assert.deepEqual(counts, [
    'faultline_detection_duration_seconds_count{stage="event"} 2',
    'faultline_detection_duration_seconds_count{stage="incident"} 1',
    'faultline_detection_duration_seconds_count{stage="observe"} 1',
  ]);
  assert.deepEqual((await samples(self, 'faultline_detection_duration_seconds_sum')).slice(1), [
    'faultline_detection_duration_seconds_sum{stage="incident"} 0.06',
    'faultline_detection_duration_seconds_sum{stage="observe"} 0.03',
  ]);
});

test('sources report whether they read, what they read, and what was lost', async () => {
  const { self } = selfOf({
    sources: () => [
      source('pdu/a', 'works', { source: 'pdu/a', reads: 10, failures: 2, readSeconds: 0.5 }),
      source('kernel-log', 'no_permission', { source: 'kernel-log', reads: 3, lost: 4 }),
      source('cpu', 'off'),
      source('job-log', 'works'),
      source('job-log', 'absent'),
    ],
  });
  assert.deepEqual(await samples(self, 'faultline_source_'), [
    'faultline_source_lost_total{source="kernel-log"} 4',
    'faultline_source_read_time_seconds_total{source="pdu/a"} 0.5',
    'faultline_source_reads_total{result="failed",source="pdu/a"} 2',
    'faultline_source_reads_total{result="ok",source="kernel-log"} 3',
    'faultline_source_reads_total{result="ok",source="pdu/a"} 10',
    'faultline_source_up{source="job-log"} 0',
    'faultline_source_up{source="kernel-log"} 0',
    'faultline_source_up{source="pdu/a"} 1',
  ]);
});

test('the lag of a source is the age of its newest sample', async () => {
  const { self, clock } = selfOf();
  const at = (key: string, lastTimeMs: number) => ({ key, count: 1, min: 0, max: 0, mean: 0, last: 0, lastTimeMs });
  self.series([
    at('gpu/a#power', START - 500),
    at('gpu/b#power', START - 100),
    at('pdu_outlet/p-1/7#power', START),
    at('psu/node-3/1#power', START),
  ]);
  clock.nowMs = START + 2000;
  assert.deepEqual(await samples(self, 'faultline_source_lag'), [
    'faultline_source_lag_seconds{source="bmc/node-3"} 2',
    'faultline_source_lag_seconds{source="gpu"} 2.1',
    'faultline_source_lag_seconds{source="pdu/p-1"} 2',
  ]);
});

test('queues, log, exports and the core are looked up', async () => {
  const { self } = selfOf({
    sinks: () => [{ sink: 'otlp/logs', exports: { success: 8, dropped: 1 }, waitingItems: 3, waitingBytes: 99 }],
  });
  assert.deepEqual(await samples(self, 'faultline_queue'), [
    'faultline_queue_items{queue="native"} 2',
    'faultline_queue_items{queue="otlp/logs"} 3',
    'faultline_queue_size_bytes{queue="incident-log"} 512',
    'faultline_queue_size_bytes{queue="otlp/logs"} 99',
  ]);
  assert.deepEqual(await samples(self, 'faultline_exports'), [
    'faultline_exports_total{result="dropped",sink="otlp/logs"} 1',
    'faultline_exports_total{result="success",sink="otlp/logs"} 8',
  ]);
  assert.deepEqual(await samples(self, 'faultline_connections'), [
    'faultline_connections_let_go_total{result="evicted",server="local"} 5',
    'faultline_connections_let_go_total{result="refused",server="local"} 2',
  ]);
  assert.deepEqual(await samples(self, 'faultline_core_'), [
    'faultline_core_edges_total 3',
    'faultline_core_records_lost_total 1',
    'faultline_core_samples_total 1000',
    'faultline_core_series 7',
    'faultline_core_wakeups_total 9',
  ]);
  assert.deepEqual((await samples(self, 'faultline_log')).length, 3);
});

test('memory and CPU of the daemon and of the children that read for it are reported', async () => {
  const child = { ...source('gpu', 'works'), childPid: () => process.pid };
  const { self } = selfOf({ sources: () => [child, { ...source('x', 'works'), childPid: () => 2 ** 30 }] });
  const memory = await samples(self, 'process_memory_usage_bytes');
  assert.equal(memory.length, 2);
  assert.match(memory[0] ?? '', /^process_memory_usage_bytes\{process_role="daemon"\} [1-9]\d{6,}$/);
  assert.match(memory[1] ?? '', /^process_memory_usage_bytes\{process_role="gpu"\} [1-9]\d*$/);
  assert.equal((await samples(self, 'process_cpu_time_seconds_total')).length, 4);
});

test('whoever reads takes nothing from another reader', async () => {
  const { self } = selfOf();
  self.event(event());
  const [first, second] = [await samples(self, 'faultline_events'), await samples(self, 'faultline_events')];
  assert.deepEqual(first, second);
  assert.equal(first.length, 1);
});

test('an input that throws costs its own metric and no other', async () => {
  const { self } = selfOf({
    core: () => {
      throw new Error('no');
    },
  });
  assert.deepEqual(await samples(self, 'faultline_connections'), [
    'faultline_connections_let_go_total{result="evicted",server="local"} 5',
    'faultline_connections_let_go_total{result="refused",server="local"} 2',
  ]);
  assert.deepEqual(await samples(self, 'faultline_core_'), []);
  assert.equal((await samples(self, 'faultline_log')).length, 3);
});
