// The line while the host's wall clock is set: order, silence and step times go by the steady clock all along.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Pipeline } from '../../src/daemon/pipeline.ts';
import { clockJumpEvent } from '../../src/model/clock-jump.ts';
import type { FaultEvent } from '../../src/model/event.ts';
import { formatTime } from '../../src/model/time.ts';
import { native } from '../../src/native.ts';

const T0 = Date.UTC(2026, 10, 27, 3, 0, 0);
const STEP_MS = 2_000;
const HOUR_MS = 3_600_000;

/** A torchtitan job that steps every two seconds on a busy GPU; its lines are stamped by the wall clock alone. */
function stampedJob(t: TestContext) {
  const core = new (native().Core)({ historySeconds: 600, maxSeries: 64, anchorMs: T0 });
  t.after(() => core.close());
  const events: FaultEvent[] = [];
  let nowMs = T0;
  let aheadMs = 0;
  let number = 0;
  const pipeline = new Pipeline({
    host: 'node-3',
    core,
    latenessMs: 10_000,
    holdMs: 10_000,
    links: [],
    now: () => nowMs,
    onEvent: (event) => events.push(event),
    onIncident: () => {},
  });
  const text = (said: string, lateMs = 120): void => {
    const stamp = formatTime(nowMs + aheadMs)
      .replace('T', ' ')
      .replace('.', ',')
      .replace('Z', '');
    number += 1;
    pipeline.text({
      source: 'job-log',
      trust: 'tenant',
      stream: 'job/llama:/logs/rank0.log',
      position: number,
      timeMs: null,
      timeDigits: 0,
      observedMs: nowMs + lateMs,
      text: `[rank0]:[titan] ${stamp} - root - INFO - ${said}`,
      attributes: { job: 'llama', path: '/logs/rank0.log', framework: 'torchtitan' },
    });
  };
  const wait = (ms: number): void => {
    for (const endMs = nowMs + ms; nowMs < endMs; ) {
      nowMs += 1_000;
      pipeline.samples({
        source: 'gpu',
        trust: 'driver',
        keys: ['gpu/0000:9b:00.0#utilization'],
        timesMs: [nowMs],
        values: [1],
      });
      pipeline.advance(nowMs);
    }
  };
  let step = 0;
  const run = (steps: number, stepMs = STEP_MS): void => {
    for (let i = 0; i < steps; i += 1) {
      wait(stepMs);
      step += 1;
      text(`step: ${step}  loss:  2.3100  memory: 20.00GiB(25.00%)  tps: 7,282  tflops: 100.00  mfu: 30.00%`);
    }
  };
  const set = (byMs: number): void => {
    aheadMs += byMs;
    const when = { earliestMs: nowMs - 100, latestMs: nowMs };
    pipeline.event(clockJumpEvent({ what: 'step', byMs, when }, 'node-3', nowMs + aheadMs, 'system'));
  };
  const reported = (): string[] =>
    events
      .filter(({ kind }) => kind !== 'host.clock_jump')
      .map(({ kind, state, timeMs }) => `${kind} ${state} ${timeMs - T0}`);
  const stepTimes = (): number[] => [...core.history('job/llama#step_time', T0, nowMs + 1).values];
  return { run, wait, set, text, reported, stepTimes, now: () => nowMs - T0 };
}

for (const [way, byMs] of [
  ['back', -HOUR_MS],
  ['back a little', -1_500],
  ['forward', HOUR_MS],
  ['forward by a day', 24 * HOUR_MS],
] as const) {
  test(`a clock that is set ${way} neither stops a job nor slows it`, (t) => {
    const job = stampedJob(t);
    job.run(40);
    job.set(byMs);
    job.run(200);
    assert.deepEqual(job.reported(), []);
    const taken = job.stepTimes();
    assert.equal(taken.length, 239);
    for (const seconds of taken) assert.ok(Math.abs(seconds - STEP_MS / 1000) < 0.01, String(seconds));
  });
}

test('what happens after a step is reported at its time, and a hang is noticed as late as ever', (t) => {
  for (const byMs of [-HOUR_MS, HOUR_MS]) {
    const job = stampedJob(t);
    job.run(40);
    job.set(byMs);
    job.run(20);
    job.text('Training starts at step 1');
    const startedMs = job.now();
    job.wait(180_000);
    assert.deepEqual(job.reported(), [`job.started point ${startedMs}`, `job.hang onset ${startedMs + 120_000}`]);
  }
});

test('a job that is slow after the step is reported as slow', (t) => {
  const job = stampedJob(t);
  job.run(60);
  job.set(-HOUR_MS);
  job.run(5);
  job.run(20, 5_000);
  assert.deepEqual(
    job.reported().map((each) => each.split(' ').slice(0, 2).join(' ')),
    ['job.throughput_drop onset'],
  );
});
