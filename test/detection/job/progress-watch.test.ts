// A silent job log is a hang only while its GPUs are at work, and never before its rhythm is known.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProgressWatch } from '../../../src/detection/job/progress-watch.ts';

const busy = () => true;
const idle = () => false;

function steps(watch: ProgressWatch, count: number, stepS: number, fromMs = 0): number {
  let atMs = fromMs;
  for (let i = 0; i < count; i += 1) {
    atMs += stepS * 1000;
    const keys = ['job/llama#step_time', 'job/llama#iteration'];
    watch.samples({ source: 'job-log', trust: 'tenant', keys, timesMs: [atMs, atMs], values: [stepS, i] });
  }
  return atMs;
}

test('a job whose steps take 104 s hangs after six of them are missing; its next line clears it', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 104);
  assert.deepEqual(watch.settle(last + 6 * 104_000 - 1, busy), []);
  const [onset] = watch.settle(last + 700_000, busy);
  assert.equal(onset?.kind, 'job.hang');
  assert.equal(onset?.state, 'onset');
  assert.equal(onset?.timeMs, last + 624_000, 'the deadline, not the moment of looking');
  assert.deepEqual(onset?.interval, { earliestMs: last, latestMs: last + 624_000 });
  assert.equal(onset?.attributes?.iteration, 19);
  assert.deepEqual(watch.settle(last + 900_000, busy), [], 'reported once');
  steps(watch, 1, 104, last + 900_000);
  assert.equal(watch.settle(last + 1_100_000, busy)[0]?.state, 'clear');
});

test('quick steps still get two minutes: an evaluation or a checkpoint is not a hang', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 0.4);
  assert.deepEqual(watch.settle(last + 119_000, busy), []);
  assert.equal(watch.settle(last + 121_000, busy).length, 1);
});

test('a silent log with idle GPUs is a job that has ended', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 0.4);
  assert.deepEqual(watch.settle(last + 500_000, idle), []);
  assert.deepEqual(watch.settle(last + 900_000, busy), [], 'another job’s work later is not this one’s');
  assert.equal(watch.waiting, false);
});

test('a job that said that it is over is silent for good, whatever its GPUs do for the next one', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 0.4);
  watch.ended({ type: 'job', id: 'llama' }, last + 1000);
  assert.equal(watch.waiting, false);
  assert.deepEqual(watch.settle(last + 900_000, busy), []);
  // Begun again under its name, it is watched again.
  const again = steps(watch, 20, 0.4, last + 1_000_000);
  assert.equal(watch.settle(again + 121_000, busy)[0]?.kind, 'job.hang');
});

test('an end that is said late ends the hang that its silence was', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 0.4);
  assert.equal(watch.settle(last + 200_000, busy).length, 1);
  watch.ended({ type: 'job', id: 'llama' }, last + 250_000);
  assert.deepEqual(watch.settle(last + 260_000, busy).map(({ kind, state }) => [kind, state]), [['job.hang', 'clear']]); // biome-ignore format: one line
});

test('readings of GPUs that are late are waited for, and not for ever', () => {
  const unread = () => null;
  const [late, never] = [new ProgressWatch(), new ProgressWatch()];
  const last = steps(late, 20, 0.4);
  assert.deepEqual(late.settle(last + 121_000, unread), []);
  assert.equal(late.settle(last + 131_000, busy)[0]?.timeMs, last + 120_000);
  steps(never, 20, 0.4);
  assert.deepEqual(never.settle(last + 149_000, unread), []);
  assert.equal(never.waiting, true);
  assert.deepEqual(never.settle(last + 151_000, unread), []);
  assert.equal(never.waiting, false);
});

test('a job whose rhythm is not known yet is not judged', () => {
  const young = new ProgressWatch();
  steps(young, 4, 0.4);
  assert.deepEqual(young.settle(10_000_000, busy), []);
});

const mark = (timeMs: number, ends: boolean) =>
  ({ component: { type: 'job', id: 'llama' }, why: 'evaluation', ends, after: null, timeMs }) as const;

test('an evaluation that the log announced gets ten minutes; one that never ends is a hang all the same', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 0.4);
  watch.pause(mark(last + 1000, false));
  assert.deepEqual(watch.settle(last + 600_000, busy), []);
  const [onset] = watch.settle(last + 602_000, busy);
  assert.equal(onset?.kind, 'job.hang');
  assert.equal(onset?.timeMs, last + 601_000);
});

test('a silence that was reported as a hang is taken back by the result of the evaluation, and known the next time', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 0.4);
  assert.equal(watch.settle(last + 121_000, busy)[0]?.kind, 'job.hang');
  watch.pause(mark(last + 240_000, true));
  const reported = watch.settle(last + 240_000, busy);
  assert.deepEqual(reported.map(({ kind, state }) => `${kind} ${state}`), ['job.hang clear', 'job.pause point']); // biome-ignore format: one call
  assert.deepEqual(reported[1]?.interval, { earliestMs: last, latestMs: last + 240_000 });
  const next = steps(watch, 20, 0.4, last + 240_000);
  assert.deepEqual(watch.settle(next + 300_000, busy), [], 'as long as the one before');
  assert.equal(watch.settle(next + 361_000, busy)[0]?.kind, 'job.hang', 'half as long again is none of it');
});

test('a line about a pause that comes after the next step says nothing of a hang before it', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 0.4);
  watch.settle(last + 121_000, busy);
  steps(watch, 1, 0.4, last + 200_000);
  watch.pause(mark(last + 201_000, true));
  assert.deepEqual(watch.settle(last + 202_000, busy).map(({ kind }) => kind), ['job.hang']); // biome-ignore format: one call
});

const JOB = { type: 'job', id: 'llama' } as const;

test('by its log alone a job hangs where other lines still come after the longest pause that jobs make', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 1, 111);
  assert.deepEqual(watch.settleByWords(), [], 'nothing was printed since');
  watch.spoke(JOB, last + 1_700_000);
  assert.deepEqual(watch.settleByWords(), [], 'an evaluation may take so long');
  watch.spoke(JOB, last + 3_600_000);
  const [onset, ...others] = watch.settleByWords();
  assert.deepEqual(
    [onset?.kind, onset?.state, onset?.timeMs, others.length],
    ['job.hang', 'onset', last + 1_800_000, 0],
  );
  assert.deepEqual(watch.settleByWords(), [], 'reported once');
});

test('a job that made its last step does not hang', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 10, 1);
  watch.over(JOB);
  watch.spoke(JOB, last + 7_200_000);
  assert.deepEqual(watch.settleByWords(), []);
});

test('a silence of which no GPU was read is a hang once the log says that a collective waited through it', () => {
  const unread = () => null;
  const timeout = (timeMs: number, waited: number) =>
    ({ kind: 'job.collective_timeout', component: { type: 'rank', id: 'llama/3' }, timeMs, observedMs: timeMs, trust: 'tenant', source: 'job-log', attributes: { waited_ms: waited } }) as const; // biome-ignore format: one event
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 0.4);
  assert.deepEqual(watch.settle(last + 500_000, unread), []);
  assert.equal(watch.waiting, false);
  watch.timedOut(timeout(last + 600_000, 30_000));
  assert.deepEqual(watch.settle(last + 600_000, unread), [], 'it waited for a part of it');
  watch.timedOut(timeout(last + 601_000, 600_000));
  const [hang, ...more] = watch.settle(last + 601_000, unread);
  assert.deepEqual([hang?.kind, hang?.state, hang?.timeMs], ['job.hang', 'onset', last + 120_000]);
  assert.equal(hang?.observedMs, last + 601_000);
  watch.timedOut(timeout(last + 602_000, 600_000));
  assert.deepEqual([...more, ...watch.settle(last + 602_000, unread)], [], 'reported once');
});

test('a job whose GPUs were seen idle did not hang, whatever its log says later', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 0.4);
  assert.deepEqual(watch.settle(last + 500_000, idle), []);
  watch.timedOut({ kind: 'job.collective_timeout', component: { type: 'job', id: 'llama' }, timeMs: last + 600_000, observedMs: last + 600_000, trust: 'tenant', source: 'job-log', attributes: { waited_ms: 600_000 } }); // biome-ignore format: one event
  assert.deepEqual(watch.settle(last + 600_000, busy), []);
});
