// torchtitan progress lines: throughput as printed, step time from the times of the lines, ranks reported apart.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { jobRecord, START_MS } from './lines.ts';

const line = (step: number, second: string, rank = 0) =>
  `[rank${rank}]:[titan] 2026-11-27 12:00:${second} - root - INFO - \u001b[31mstep: ${step}  \u001b[32mloss:  4.5  \u001b[0mgrad_norm:  2.5  memory: 10.00GiB(12.50%)  tps: 30,768  tflops: 3.25  mfu: 1.50%\u001b[39m`;

test('what is printed is read, in SI units and ratios', () => {
  const { steps } = new JobLineDecoder('llama').decode(jobRecord(line(10, '01,250')));
  const progress = steps[0]?.progress;
  assert.equal(progress?.framework, 'torchtitan');
  assert.equal(progress?.iteration, 10);
  assert.equal(progress?.rank, 0);
  assert.equal(progress?.loss, 4.5);
  assert.equal(progress?.grad_norm, 2.5);
  assert.equal(progress?.tokens_per_second_per_gpu, 30_768);
  assert.equal(progress?.tflops_per_gpu, 3.25);
  assert.equal(progress?.mfu, 0.015);
  assert.equal(progress?.memory_ratio, 0.125);
  assert.equal(progress?.memory_used_gb, 10.73741824);
  assert.equal(progress?.step_time_ms, null);
});

test('step time is the difference of line times over the steps between them', () => {
  const decoder = new JobLineDecoder('llama');
  decoder.decode(jobRecord(line(10, '01,250'), 0, START_MS + 1300));
  const { steps, samples } = decoder.decode(jobRecord(line(20, '06,250'), 1, START_MS + 6300));
  assert.equal(steps[0]?.progress.step_time_ms, 500);
  assert.equal(steps[0]?.progress.step_time_from, 'line_times');
  assert.equal(samples?.values[samples.keys.indexOf('job/llama#step_time')], 0.5);
});

test('a step time from arrival alone is marked and is not a sample', () => {
  const decoder = new JobLineDecoder('llama');
  decoder.decode(jobRecord('step: 1  loss: 4.5  tps: 100', 0, START_MS));
  const { steps, samples } = decoder.decode(jobRecord('step: 2  loss: 4.5  tps: 100', 1, START_MS + 700));
  assert.equal(steps[0]?.progress.step_time_ms, 700);
  assert.equal(steps[0]?.progress.step_time_from, 'arrival');
  assert.equal(samples?.keys.includes('job/llama#step_time'), false);
});

test('ranks that print the same step are one sample, and do not disturb each other’s step time', () => {
  const decoder = new JobLineDecoder('llama');
  const seen = [
    [1, '01,000', 0],
    [1, '01,100', 1],
    [2, '02,000', 0],
    [2, '02,100', 1],
  ].map(([n, at, rank], index) =>
    decoder.decode(jobRecord(line(Number(n), String(at), Number(rank)), index, START_MS + 3000)),
  );
  assert.deepEqual(
    seen.map(({ samples }) => samples !== null),
    [true, false, true, false],
  );
  assert.deepEqual(
    seen.slice(2).map(({ steps }) => steps[0]?.progress.step_time_ms),
    [1000, 1000],
  );
});

test('words that only look like a step are none', () => {
  for (const text of ['footstep: 3 loss: 2', 'step: many loss: 3', 'step: 3', 'step: 1.5 loss: 2', 'step:']) {
    assert.deepEqual(new JobLineDecoder('llama').decode(jobRecord(text)).steps, [], text);
  }
});
