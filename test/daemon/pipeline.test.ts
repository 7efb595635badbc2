// The pipeline without its sources: samples and text in, incidents out; what an earlier run left open continues.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Pipeline } from '../../src/daemon/pipeline.ts';
import { incidentToDocument } from '../../src/model/documents/incident.ts';
import type { FaultEvent } from '../../src/model/event.ts';
import type { GpuHourRate, Incident } from '../../src/model/incident.ts';
import type { Link } from '../../src/model/topology.ts';
import { native } from '../../src/native.ts';

const T0 = 1_790_000_000_000;
const HOST = { type: 'host', id: 'node-3' } as const;
const PHASE = { type: 'pdu_phase', id: 'pdu-b/1' } as const;
const PSU = { type: 'psu', id: 'node-3/1' } as const;
const JOB = { type: 'job', id: 'llama' } as const;
const LINKS: Link[] = [
  { from: PHASE, to: PSU, relation: 'feeds', source: 'configuration' },
  { from: PSU, to: HOST, relation: 'feeds', source: 'configuration' },
  { from: HOST, to: { type: 'cpu', id: 'node-3/0' }, relation: 'contains', source: 'host' },
  { from: HOST, to: JOB, relation: 'runs', source: 'configuration' },
];
const cores: { close(): void }[] = [];
after(() => {
  for (const core of cores) core.close();
});

function build(restored: readonly Incident[] = [], gpuHourRate: GpuHourRate | null = null) {
  const core = new (native().Core)({ historySeconds: 600, maxSeries: 100 });
  cores.push(core);
  const events: FaultEvent[] = [];
  const incidents: Incident[] = [];
  const clock = { now: T0 };
  const pipeline = new Pipeline({
    host: 'node-3',
    core,
    latenessMs: 10_000,
    holdMs: 10_000,
    links: LINKS,
    restored,
    gpuHourRate,
    now: () => clock.now,
    onEvent: (event) => events.push(event),
    onIncident: (incident) => incidents.push(incident),
  });
  const sample = (key: string, atMs: number, value: number) => {
    clock.now = T0 + atMs;
    pipeline.samples({ source: key.startsWith('job') ? 'job-log' : 'pdu', trust: 'facility', keys: [key], timesMs: [T0 + atMs], values: [value] }); // biome-ignore format: one call
  };
  return { pipeline, clock, events, incidents, sample };
}

function sag(sample: (key: string, atMs: number, value: number) => void): void {
  const voltage = 'pdu_phase/pdu-b/1#voltage';
  const step = 'job/llama#step_time';
  for (let s = 0; s < 20; s += 1) {
    sample(voltage, s * 1_000, s >= 12 && s < 15 ? 108 : 121);
    sample('cpu/node-3/0#power_limit', s * 1_000 + 200, s >= 12 ? 180 : 280);
    sample(step, s * 1_000 + 400, s >= 13 ? 0.897 : 0.412);
  }
}

test('a sag that halves a job is one incident with the phase as its root', () => {
  const { incidents, sample } = build();
  sag(sample);
  const last = incidents.at(-1);
  assert.ok(last);
  assert.equal(new Set(incidents.map((i) => i.id)).size, 1);
  assert.equal(last.root.kind, 'power.voltage_sag');
  assert.deepEqual(last.root.component, PHASE);
  assert.deepEqual(last.chain.map((link) => link.kind), ['power.voltage_sag', 'cpu.power_cap', 'job.throughput_drop']); // biome-ignore format: a list
  assert.equal(last.severity, 'error');
  const sum = last.confidenceParts.reduce((total, part) => total + part.delta, 0);
  assert.ok(Math.abs(sum - last.confidence) < 1e-9, 'the parts add up to the number');
});

test('what a slow job costs is counted from its GPUs and the price, and makes no revision by growing', () => {
  const { pipeline, clock, incidents, sample } = build([], { amount: 2.5, currency: 'EUR' });
  const gpus = ['1b', '29', '45', '5d'].map((bus) => ({ type: 'gpu', id: `0000:${bus}:00.0` }) as const);
  for (const to of gpus) {
    pipeline.discovery({ component: to, links: [{ from: HOST, to, relation: 'contains', source: 'host' }] });
  }
  sag(sample);
  const slow = () => incidents.at(-1)?.impact.find(({ component }) => component.type === 'job');
  assert.deepEqual([slow()?.loss?.gpus, slow()?.loss?.rate], [4, { amount: 2.5, currency: 'EUR' }]);
  const revisions = incidents.length;
  for (let s = 20; s < 3620; s += 10) {
    clock.now = T0 + s * 1000;
    pipeline.advance(clock.now);
  }
  assert.ok(incidents.length <= revisions + 1, `${incidents.length - revisions} revisions in an hour of nothing new`);
  const last = incidents.at(-1);
  assert.ok(last);
  const [impact] = incidentToDocument(last, { nowMs: clock.now }).impact;
  assert.ok(Math.abs((impact?.gpu_hours ?? 0) - 4 * 0.5407 * (3596 / 3600)) < 0.01, String(impact?.gpu_hours));
  assert.equal(impact?.cost?.amount, Math.round((impact?.gpu_hours ?? 0) * 2.5 * 1e6) / 1e6);
});

test('a sag that nothing on the host reacted to does not explain a slow job', () => {
  const { incidents, sample, pipeline } = build();
  const reaction = (key: string, atMs: number, value: number) => key.startsWith('cpu') || sample(key, atMs, value);
  sag(reaction);
  pipeline.finish();
  const slow = incidents.findLast((i) => i.chain.some((link) => link.kind === 'job.throughput_drop'));
  assert.equal(slow?.rootKnown, false);
  assert.ok((slow?.confidence ?? 1) < 0.5);
});

test('the same input gives the same ids, whatever machine and moment it runs on', () => {
  const ids = [build(), build()].map(({ incidents, sample }) => {
    sag(sample);
    return incidents.map((i) => [i.id, i.revision, i.updatedMs]);
  });
  assert.deepEqual(ids[0], ids[1]);
});

function lost(): { restored: Incident; input: Parameters<Pipeline['event']>[0] } {
  const input = {
    kind: 'gpu.lost',
    component: { type: 'gpu', id: '0000:9b:00.0', host: 'node-3' },
    timeMs: T0,
    observedMs: T0,
    trust: 'kernel',
    source: 'kernel-log',
  } as const;
  const first = build();
  first.pipeline.event(input);
  const [restored] = first.incidents;
  assert.ok(restored);
  return { restored, input };
}

test('an incident of an earlier run says nothing new by itself, and continues under its id when its fault shows again', () => {
  const { restored, input } = lost();
  const second = build([restored]);
  assert.equal(second.incidents.length, 0);
  second.clock.now = T0 + 60_000;
  second.pipeline.event({ ...input, timeMs: T0 + 60_000, observedMs: T0 + 60_000, trust: 'driver', source: 'gpu' });
  assert.equal(second.incidents.at(-1)?.id, restored.id);
  assert.equal(second.incidents.at(-1)?.revision, 2);
  second.pipeline.resolveStale(T0 + 600_000);
  assert.equal(second.incidents.at(-1)?.state, 'open', 'it was seen again: not stale');
});

test('an incident of an earlier run of which nothing is seen any more is resolved', () => {
  const { restored } = lost();
  const second = build([restored]);
  second.pipeline.resolveStale(T0 + 600_000);
  assert.deepEqual(second.incidents.map((i) => [i.id, i.state, i.resolvedMs]), [[restored.id, 'resolved', T0 + 600_000]]); // biome-ignore format: a list
});

test('a restored incident whose fault shows again unchanged stays open, without a new revision', () => {
  const { restored, input } = lost();
  const second = build([restored]);
  second.pipeline.event({ ...input, timeMs: T0 + 60_000, observedMs: T0 + 60_000, discriminator: 1 });
  second.pipeline.resolveStale(T0 + 600_000);
  assert.deepEqual(
    second.incidents.filter(({ state }) => state === 'resolved'),
    [],
  );
});

test('a record of the earlier run that is read again is not a sign of life', () => {
  const { restored, input } = lost();
  const second = build([restored]);
  second.pipeline.event(input);
  second.pipeline.resolveStale(T0 + 600_000);
  assert.equal(second.incidents.at(-1)?.state, 'resolved');
});

test('an incident that was given up is not reported again by time alone, and is opened again by its fault', () => {
  const { restored, input } = lost();
  const second = build([restored]);
  second.pipeline.resolveStale(T0 + 600_000);
  second.pipeline.resolveStale(T0 + 601_000);
  second.pipeline.advance(T0 + 200_000_000);
  assert.deepEqual(
    second.incidents.map(({ state }) => state),
    ['resolved'],
  );
  const third = build([restored]);
  third.pipeline.resolveStale(T0 + 600_000);
  const again = T0 + 700_000;
  third.pipeline.event({ ...input, timeMs: again, observedMs: again, trust: 'driver', source: 'gpu' });
  assert.deepEqual(
    third.incidents.map(({ id, state }) => [id, state]),
    [
      [restored.id, 'resolved'],
      [restored.id, 'open'],
    ],
  );
});

test('what comes in while records are handled waits for its turn: nothing overtakes, nothing nests', () => {
  const core = new (native().Core)({ historySeconds: 10, maxSeries: 16 });
  cores.push(core);
  const heard: string[] = [];
  let depth = 0;
  let deepest = 0;
  const records = (from: number) => [from, from + 1].map((sequence) => ({ sequence, timeMs: T0, observedMs: T0, priority: 3, facility: 0, text: `line ${sequence}` })); // biome-ignore format: short
  let next = 1;
  const take = () => {
    const taken = next < 20 ? records(next) : [];
    next += taken.length;
    return { edges: [], notices: [], records: taken };
  };
  // A core in which new records wait whenever it is asked, as in a storm.
  const storm = new Proxy(core, {
    get: (target, name) => {
      if (name === 'drain') return take;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const pipeline = new Pipeline({
    host: 'node-3',
    core: storm,
    latenessMs: 10_000,
    holdMs: 10_000,
    links: [],
    now: () => T0,
    onEvent: () => {},
    onIncident: () => {},
    onNative: (drained) => {
      depth += 1;
      deepest = Math.max(deepest, depth);
      for (const { text, sequence } of drained.records) {
        heard.push(text);
        pipeline.text({ source: 'kernel-log', trust: 'kernel', stream: 'kmsg', position: sequence, timeMs: T0, timeDigits: 6, observedMs: T0, text, attributes: {} }); // biome-ignore format: one record
      }
      depth -= 1;
    },
  });
  for (let turn = 0; turn < 10; turn += 1) pipeline.drain();
  assert.equal(deepest, 1);
  assert.deepEqual(
    heard,
    Array.from({ length: 20 }, (_, i) => `line ${i + 1}`),
  );
});
