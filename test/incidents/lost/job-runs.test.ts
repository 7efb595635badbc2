// Runs of jobs: GPU-hours from one view of the work to the next, over a restart of the daemon, written rarely.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobRuns } from '../../../src/incidents/lost/job-runs.ts';
import { jobRunFromDocument, jobRunToDocument } from '../../../src/model/documents/job-run.ts';
import { use, view, work } from '../../identity/whose/made-view.ts';

const T0 = 1_790_000_000_000;
const HOUR = 3_600_000;
const gpu = (n: number) => `gpu/0000:${n}b:00.0`;
const of = (job: string, gpus: number, given = {}) =>
  view({ works: [work(job, given)], devices: Array.from({ length: gpus }, (_, n) => use(gpu(n), job)) });

test('a run counts from the start that its scheduler tells, with the GPUs that it has at each time', () => {
  const runs = new JobRuns('node-3');
  const [first] = runs.take(of('991', 8, { startedMs: T0 - HOUR, user: 'alice' }), T0);
  assert.deepEqual([first?.gpuHours, first?.user, first?.endedMs], [8, 'alice', null]);
  assert.deepEqual(
    runs.take(of('991', 4, { startedMs: T0 - HOUR }), T0 + HOUR / 2),
    [],
    'a change alone is not a reason to write',
  );
  const [last, ...more] = runs.take(view(), T0 + HOUR);
  assert.deepEqual([last?.gpuHours, last?.endedMs, last?.id, more.length], [8 + 4 + 2, T0 + HOUR, first?.id, 0]);
  assert.deepEqual(jobRunFromDocument(JSON.parse(JSON.stringify(jobRunToDocument(last as NonNullable<typeof last>)))), last); // biome-ignore format: one line
});

test('it is written once an hour while nothing happens, and nothing is counted twice', () => {
  const runs = new JobRuns('node-3');
  const same = of('991', 2);
  let lines = 0;
  for (let second = 0; second <= 3 * 3600; second += 5) lines += runs.take(same, T0 + second * 1000).length;
  assert.equal(lines, 3);
  assert.equal(runs.stop(T0 + 3 * HOUR)[0]?.gpuHours, 6);
});

test('a shared GPU counts in part, an instance as one, and a job without GPUs not at all', () => {
  const runs = new JobRuns('node-3');
  const devices = [
    use(gpu(0), 'a', { sharedBy: 2 }),
    use('gpu_instance/0000:1b:00.0/3', 'a'),
    use('nic/0000:2b:00.0', 'b'),
  ];
  const [run, ...others] = runs.take(view({ works: [work('a', { startedMs: T0 - HOUR }), work('b')], devices }), T0);
  assert.deepEqual([run?.gpus, run?.gpuHours, others.length], [1.5, 1.5, 0]);
});

test('what is over within a minute is not written', () => {
  const runs = new JobRuns('node-3');
  assert.deepEqual(runs.take(of('pid-7', 1), T0), []);
  assert.deepEqual(runs.take(view(), T0 + 30_000), []);
});

test('a restart of the daemon continues what still runs and ends what does not, when it was seen last', () => {
  const before = new JobRuns('node-3');
  const both = view({ works: [work('1'), work('2')], devices: [use(gpu(0), '1'), use(gpu(1), '2')] });
  before.take(both, T0);
  const left = before.take(both, T0 + HOUR).concat(before.stop(T0 + HOUR));
  const after = new JobRuns('node-3', left.slice(-2));
  assert.deepEqual(after.take(view(), T0 + 1.5 * HOUR), [], 'no source has looked yet');
  assert.deepEqual(after.take(of('1', 1), T0 + 1.5 * HOUR + 5_000), []);
  const ended = after.take(of('1', 1), T0 + 1.5 * HOUR + 61_000);
  assert.deepEqual(
    ended.map(({ job, endedMs, gpuHours }) => [job, endedMs, gpuHours]),
    [['2', T0 + HOUR, 1]],
  );
  const [goesOn] = after.take(view(), T0 + 3 * HOUR);
  assert.deepEqual([goesOn?.id, goesOn?.gpuHours], [left.at(-2)?.id, 3], 'it ran while the daemon did not');
});

test('another attempt of a job is another run', () => {
  const runs = new JobRuns('node-3');
  const [first] = runs.take(of('991', 1, { attempt: 0, startedMs: T0 - HOUR }), T0);
  const [ended] = runs.take(of('991', 1, { attempt: 1, startedMs: T0 }), T0 + 1000);
  const [second] = runs.take(of('991', 1, { attempt: 1, startedMs: T0 }), T0 + HOUR);
  assert.equal(ended?.id, first?.id);
  assert.notEqual(second?.id, first?.id);
  assert.equal(second?.gpuHours, 1);
});

test('the last checkpoint that its log reports is kept, under any of its names', () => {
  const runs = new JobRuns('node-3');
  runs.take(of('llama', 1, { aliases: ['991'] }), T0);
  const saved = (job: string, timeMs: number) =>
    runs.heard({ kind: 'job.checkpoint_saved', component: { type: 'job', id: job }, timeMs, observedMs: T0 + HOUR });
  saved('991', T0 + 1000);
  saved('other', T0 + 2000);
  assert.equal(runs.stop(T0 + HOUR)[0]?.savedMs, T0 + 1000);
  saved('llama', T0 + 99 * HOUR);
  assert.equal(runs.stop(T0 + HOUR)[0]?.savedMs, T0 + HOUR, 'a time of the future is that of its reading');
});
