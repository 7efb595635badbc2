// Tests of the simulated training job.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { FakeJob, progressLine } from '../../../src/simulator/rack/fake-job.ts';
import type { PlannedJob } from '../../../src/simulator/scenario/world.ts';
import { ManualClock } from '../../../src/simulator/scenario-clock.ts';

const JOB: PlannedJob = {
  id: 'train',
  framework: 'megatron',
  stepTimeMs: 400,
  ranks: [0],
  worldSize: 8,
  tokensPerStep: 4_194_304,
  iterations: 5000,
  everyRank: false,
  host: null,
};

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-job-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const times = () =>
  [...readFileSync(join(folder, 'log'), 'utf8').matchAll(/\(ms\): ([\d.]+)/g)].map((match) => Number(match[1]));

function start(clock: ManualClock): FakeJob {
  return new FakeJob(join(folder, 'log'), JOB, clock, () => 0.5, 0);
}

test('a line is written at the end of each step', () => {
  const clock = new ManualClock();
  const job = start(clock);
  clock.advance(399);
  assert.deepEqual(times(), []);
  clock.advance(1201);
  job.close();
  assert.deepEqual(times(), [400, 400, 400, 400]);
});

test('a slow-down begins with the next step, and so does its end', () => {
  const clock = new ManualClock();
  const job = start(clock);
  clock.advance(500);
  job.update([{ type: 'job_slowdown', job: 'train', factor: 2 }]);
  clock.advance(300 + 800 + 100);
  job.update([]);
  clock.advance(700 + 400);
  job.close();
  assert.deepEqual(times(), [400, 400, 800, 800, 400]);
});

test('changes of another job do nothing', () => {
  const clock = new ManualClock();
  const job = start(clock);
  job.update([{ type: 'job_hang', job: 'other' }]);
  clock.advance(800);
  job.close();
  assert.equal(times().length, 2);
});

test('a hang ends the lines until it is over', () => {
  const clock = new ManualClock();
  const job = start(clock);
  clock.advance(400);
  job.update([{ type: 'job_hang', job: 'train' }]);
  clock.advance(10_000);
  assert.equal(times().length, 1);
  job.update([]);
  clock.advance(400);
  job.close();
  assert.equal(times().length, 2);
});

test('a Megatron line has the fields and the form of the framework', () => {
  const line = progressLine(JOB, 126, 412.34, () => 0.5, new Date(2026, 10, 27, 14, 31, 58));
  assert.match(
    line,
    /^ \[2026-11-27 14:31:58\] iteration {6}126\/ {4}5000 \| consumed samples: +258048 \| elapsed time per iteration \(ms\): 412\.3 \| throughput per GPU \(TFLOP\/s\/GPU\): \d+\.\d \| .* \| lm loss: \d\.\d{6}E[+-]\d\d \| .* \|$/,
  );
});

test('a torchtitan line has the fields and the form of the framework', () => {
  const line = progressLine(
    { ...JOB, framework: 'torchtitan' },
    14,
    400,
    () => 0.5,
    new Date(2026, 10, 27, 14, 31, 58, 7),
  );
  assert.match(
    line,
    /^\[titan\] 2026-11-27 14:31:58,007 - root - INFO - step: 14 {2}loss: +\d+\.\d+ {2}grad_norm: +\d+\.\d+ {2}memory: .* {2}tps: [\d,]+ {2}tflops: [\d.]+ {2}mfu: [\d.]+%$/,
  );
});
