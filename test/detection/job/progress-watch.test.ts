// A silent job log is a hang only while its GPUs are at work, and never before its rhythm is known.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProgressWatch } from '../../../src/detection/job/progress-watch.ts';

const busy = { busy: () => true, lifeOf: () => null };
const idle = { busy: () => false, lifeOf: () => null };

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
  const unread = { busy: () => null, lifeOf: () => null };
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
  const unread = { busy: () => null, lifeOf: () => null };
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

const live = (alive: number, gone = 0) => ({ busy: () => false, lifeOf: () => ({ alive, gone }) });

test('a job whose GPUs are idle hangs while its processes are there and its log is read', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 0.4);
  watch.read('job/llama', last + 179_000);
  assert.deepEqual(watch.settle(last + 179_000, live(8)), [], 'a save that no line announces may take three minutes');
  const [onset] = watch.settle(last + 190_000, live(7, 1));
  assert.deepEqual([onset?.kind, onset?.timeMs], ['job.hang', last + 180_000]);
  const { gpus, processes, processes_gone } = onset?.attributes ?? {};
  assert.deepEqual({ gpus, processes, processes_gone }, { gpus: 'idle', processes: 7, processes_gone: 1 });
});

test('silence on idle GPUs is a warning, which a long save deserves, and as grave as any hang after ten minutes', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 0.4);
  watch.read('job/llama', last + 700_000);
  const [first] = watch.settle(last + 190_000, live(8));
  assert.equal(first?.severity, 'warning');
  assert.deepEqual(watch.settle(last + 599_000, live(8)), []);
  assert.equal(watch.waiting, true);
  const [then, ...more] = watch.settle(last + 601_000, live(8));
  assert.deepEqual([then?.state, then?.severity, then?.timeMs, more.length], ['onset', undefined, last + 600_000, 0]);
  assert.equal(then?.discriminator, first?.discriminator);
  assert.deepEqual(watch.settle(last + 900_000, live(8)), []);
});

test('a job that was saving and whose processes ended meanwhile does not become graver', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 0.4);
  watch.read('job/llama', last + 700_000);
  assert.equal(watch.settle(last + 190_000, live(8)).length, 1);
  assert.deepEqual(watch.settle(last + 601_000, live(0, 8)), []);
});

test('a job whose processes ended does not hang, whatever its GPUs do for the next one', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 0.4);
  watch.read('job/llama', last + 400_000);
  assert.deepEqual(watch.settle(last + 400_000, { busy: () => true, lifeOf: () => ({ alive: 0, gone: 8 }) }), []);
  assert.equal(watch.waiting, false);
});

test('a log that is not read is not a silent one', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 0.4);
  assert.deepEqual(watch.settle(last + 600_000, live(8)), []);
  watch.read('job/llama', last + 600_000);
  assert.equal(watch.settle(last + 601_000, live(8)).length, 1);
});

test('what reported its failure and idles until it ends does not hang besides', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 0.4);
  const failure = { kind: 'job.rank_crashed', timeMs: last + 100, observedMs: last + 100, trust: 'tenant', state: 'point', source: 'job-log' } as const; // biome-ignore format: one line
  watch.failed({ ...failure, component: { type: 'rank', id: 'llama/3' } });
  watch.read('job/llama', last + 600_000);
  assert.deepEqual(watch.settle(last + 600_000, live(7, 1)), []);
  const again = steps(watch, 1, 0.4, last + 700_000);
  watch.read('job/llama', again + 200_000);
  assert.equal(watch.settle(again + 200_000, live(8)).length, 1, 'it made further steps, so that it had survived');
});

test('an announced save on idle GPUs has ten minutes, and one that none announced is known the next time', () => {
  const [announced, learned] = [new ProgressWatch(), new ProgressWatch()];
  const last = steps(announced, 20, 0.4);
  announced.pause(mark(last + 1000, false));
  announced.read('job/llama', last + 600_000);
  assert.deepEqual(announced.settle(last + 600_000, live(8)), []);
  steps(learned, 20, 0.4);
  learned.read('job/llama', last + 200_000);
  assert.equal(learned.settle(last + 200_000, live(8)).length, 1);
  const next = steps(learned, 20, 0.4, last + 260_000);
  learned.read('job/llama', next + 380_000);
  assert.deepEqual(learned.settle(next + 380_000, live(8)).map(({ state }) => state), ['clear']); // biome-ignore format: one line
  learned.read('job/llama', next + 500_000);
  assert.equal(learned.settle(next + 500_000, live(8)).length, 1);
});

test('without readings of GPUs the processes of a job say as much, once such readings are late', () => {
  const watch = new ProgressWatch();
  const last = steps(watch, 20, 0.4);
  watch.read('job/llama', last + 160_000);
  const signs = { busy: () => null, lifeOf: () => ({ alive: 8, gone: 0 }) };
  assert.deepEqual(watch.settle(last + 149_000, signs), []);
  assert.equal(watch.settle(last + 151_000, signs)[0]?.attributes?.gpus, 'unread');
});

test('a model that loads for an hour has made no step, and is not judged', () => {
  const watch = new ProgressWatch();
  watch.read('job/llama', 3_600_000);
  assert.deepEqual(watch.settle(3_600_000, live(8)), []);
});

test('a job of which nothing but its log is known hangs by its words live as in a saved log, few as its steps were', () => {
  const unread = { busy: () => null, lifeOf: () => null };
  const [young, known] = [new ProgressWatch(), new ProgressWatch()];
  for (const [watch, count] of [
    [young, 1],
    [known, 20],
  ] as const) {
    const last = steps(watch, count, 111);
    watch.read('job/llama', last + 1_790_000, true);
    assert.deepEqual(watch.settle(last + 1_790_000, unread), [], 'an evaluation may take so long');
    watch.read('job/llama', last + 3_600_000);
    assert.deepEqual(watch.settle(last + 3_600_000, unread), [], 'nothing was printed since');
    watch.read('job/llama', last + 3_610_000, true);
    assert.equal(watch.waiting, true);
    const [onset, ...others] = watch.settle(last + 3_610_000, unread);
    assert.deepEqual([onset?.kind, onset?.timeMs, onset?.attributes?.gpus, others.length], ['job.hang', last + 3_610_000, 'unread', 0]); // biome-ignore format: one answer
    assert.deepEqual(watch.settle(last + 3_620_000, unread), [], 'reported once');
    steps(watch, 1, 111, last + 7_200_000);
    assert.deepEqual(watch.settle(last + 7_320_000, unread).map(({ state }) => state), ['clear']); // biome-ignore format: one call
  }
});

test('lines still come without a step behind the last one, a failure and a restart, and of a job that is seen to be gone', () => {
  const unread = { busy: () => null, lifeOf: () => null };
  const gone = { busy: () => null, lifeOf: () => ({ alive: 0, gone: 8 }) };
  const failure = { kind: 'job.rank_crashed', component: JOB, observedMs: 0, trust: 'tenant', source: 'job-log' } as const; // biome-ignore format: one line
  const marks: readonly [typeof unread | typeof gone | typeof idle, (watch: ProgressWatch, atMs: number) => void][] = [
    [unread, (watch) => watch.rests(JOB)],
    [unread, (watch, timeMs) => watch.failed({ ...failure, timeMs })],
    [gone, () => {}],
    [idle, () => {}],
  ];
  for (const [signs, mark] of marks) {
    const watch = new ProgressWatch();
    const last = steps(watch, 1, 111);
    mark(watch, last + 1);
    watch.read('job/llama', last + 7_200_000, true);
    assert.deepEqual(watch.settle(last + 7_200_000, signs), []);
  }
});

test('the whole of a log is asked for once when it falls silent, and only where nothing else is known of its job', () => {
  const asked: string[] = [];
  const shift = { kind: 'job.throughput_drop', component: JOB, timeMs: 1, observedMs: 1, trust: 'tenant', source: 'job-log' } as const; // biome-ignore format: one line
  const wholeLog = (name: string) => {
    asked.push(name);
    return [shift];
  };
  const [unread, seen] = [new ProgressWatch(), new ProgressWatch()];
  const last = steps(unread, 20, 0.4);
  steps(seen, 20, 0.4);
  assert.deepEqual(unread.settle(last + 149_000, { busy: () => null, lifeOf: () => null, wholeLog }), []);
  assert.deepEqual(unread.settle(last + 151_000, { busy: () => null, lifeOf: () => null, wholeLog }), [shift]);
  assert.deepEqual(unread.settle(last + 300_000, { busy: () => null, lifeOf: () => null, wholeLog }), []);
  assert.deepEqual(seen.settle(last + 500_000, { ...idle, wholeLog }), []);
  assert.deepEqual(asked, ['llama']);
});
