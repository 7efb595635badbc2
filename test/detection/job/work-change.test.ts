// A job whose work changes — another global batch, another number of ranks — is learned again; one that is only slow is not.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OwnBaseline } from '../../../src/detection/job/own-baseline.ts';
import { DETECTION_RULES } from '../../../src/detection/rules/detectors.ts';
import { type DetectorEdge, native } from '../../../src/native.ts';
import { type LoggedJob, loggedJob } from '../logged-job.ts';

const WORLD = (ranks: number) => `using world size: ${ranks}, data-parallel size: ${ranks}, context-parallel size: 1`;
const STARTS = '[before the start of training step] training ...';

/** Steps of so many milliseconds with so many samples in a global batch. */
function batch(job: LoggedJob, steps: number, ms: number, samples: number): LoggedJob {
  for (let i = 0; i < steps; i += 1) job.step(ms + (i % 3), `global batch size: ${samples} |`);
  return job;
}

test('a batch that is ramped up makes steps longer by right; a slowdown after it is reported against the new steps', (t) => {
  const job = loggedJob(t);
  batch(job, 40, 400, 256);
  batch(job, 40, 800, 512);
  batch(job, 40, 1600, 1024);
  assert.deepEqual(job.reported, []);
  batch(job, 3, 2400, 1024);
  batch(job, 2, 1600, 1024);
  assert.deepEqual(job.reported, ['onset 122', 'clear 124']);
  assert.deepEqual([Math.round(Number(job.attributes[0]?.before) * 1000), job.attributes[0]?.after], [1601, 2.4]);
});

test('a job that is started on half the ranks is not a slower job; on the same ranks it is', (t) => {
  const halved = loggedJob(t).line(WORLD(16)).line(STARTS).run(40, 400).line(WORLD(8)).line(STARTS).run(40, 800);
  assert.deepEqual(halved.reported, []);
  halved.run(3, 1200);
  assert.deepEqual(halved.reported, ['onset 82']);
  const same = loggedJob(t).line(WORLD(16)).line(STARTS).run(40, 400).line(WORLD(16)).line(STARTS).run(40, 800);
  assert.deepEqual(same.reported, ['onset 45']);
});

test('what was reported the old work ends when the work changes', (t) => {
  const job = loggedJob(t);
  batch(job, 40, 400, 256);
  batch(job, 5, 700, 256);
  batch(job, 40, 700, 512);
  assert.deepEqual(job.reported, ['onset 42', 'clear 46']);
});

test('the first batch and the first world size that are known change nothing', (t) => {
  const job = loggedJob(t).run(20, 400).line(WORLD(8));
  batch(job, 20, 400, 256);
  batch(job, 3, 700, 256);
  assert.deepEqual(job.reported, ['onset 42']);
});

test('a job whose batches differ all the time is judged all the same', (t) => {
  const job = loggedJob(t);
  for (let i = 0; i < 60; i += 1) batch(job, 1, 400, 256 + (i % 2));
  for (let i = 0; i < 4; i += 1) batch(job, 1, 900, 256 + (i % 2));
  assert.deepEqual(job.reported, ['onset 62']);
});

test('several jobs on one host have baselines of their own', (t) => {
  const jobs = ['a', 'b'].map((name) => loggedJob(t, name));
  const [a, b] = jobs;
  for (let i = 0; i < 40; i += 1) for (const job of jobs) job.step(job === a ? 400 : 2000);
  for (let i = 0; i < 3; i += 1) for (const job of jobs) job.step(2000);
  assert.deepEqual([a?.reported, b?.reported], [['onset 42'], []]);
});

/** Far enough apart for native code to keep each of them. */
const APART_MS = 10_000;

test('it judges as native code does', () => {
  const rules = DETECTION_RULES.filter(({ spec }) => spec.type === 'drop' && spec.select.componentType === 'job');
  assert.equal(rules.length, 2);
  for (const { spec } of rules) {
    if (spec.type !== 'drop') continue;
    const core = new (native().Core)({ historySeconds: 180, maxSeries: 4 });
    core.setDetectors([spec]);
    const key = `job/llama#${spec.select.quantity}`;
    const own = new OwnBaseline(spec, key);
    const id = core.series(key);
    const usual = Array.from({ length: 30 }, (_, i) => 10 + (i % 4) / 4);
    const off = (factor: number) => (spec.when === 'above' ? 10 * factor : 10 / factor);
    const values = [...usual, off(1.4), 10, off(1.4), off(1.5), off(1.25), off(1.1), 10, off(3), off(3.1), 10, 10];
    const found = values.flatMap((value, i) => own.sample(1e12 + i * APART_MS, value) ?? []);
    const times = Float64Array.from(values, (_, i) => 1e12 + i * APART_MS);
    core.push(new Uint32Array(values.length).fill(id), times, Float64Array.from(values));
    const plain = (edges: readonly DetectorEdge[]) => edges.map((edge) => ({ ...edge, detectedMs: 0 }));
    assert.equal(found.length, 4, spec.name);
    assert.deepEqual(plain(found), plain(core.drain().edges), spec.name);
    core.close();
  }
});
