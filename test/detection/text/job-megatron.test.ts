// Megatron progress lines in all flavours: what is printed is read, what is not printed is null, nan is not a sample.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseColumns } from '../../../src/detection/text/job/columns-line.ts';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { jobRecord } from './lines.ts';

const step = (fields: string, head = ' iteration      120/    5000') =>
  `${head} | consumed samples:        15360 | ${fields} |`;
const first = (line: string) => new JobLineDecoder('llama').decode(jobRecord(line)).steps[0]?.progress;

test('upstream with throughput', () => {
  const progress = first(
    step(
      'elapsed time per iteration (ms): 5630.5 | throughput per GPU (TFLOP/s/GPU): 231.5 | learning rate: 4.000000E-07 | global batch size:   128 | lm loss: 2.500000E+00 | loss scale: 1.0 | grad norm: 6.5 | number of skipped iterations:   0 | number of nan iterations:   0',
    ),
  );
  assert.equal(progress?.iteration, 120);
  assert.equal(progress?.target_iteration, 5000);
  assert.equal(progress?.step_time_ms, 5630.5);
  assert.equal(progress?.tflops_per_gpu, 231.5);
  assert.equal(progress?.loss, 2.5);
  assert.equal(progress?.grad_norm, 6.5);
  assert.equal(progress?.learning_rate, 4e-7);
  assert.equal(progress?.global_batch_size, 128);
  assert.equal(progress?.consumed_samples, 15_360);
  assert.equal(progress?.tokens_per_second_per_gpu, null);
  assert.equal(progress?.mfu, null);
});

test('ROCm with current/average, memory, rank and lost or kept escape bytes', () => {
  const tail =
    'elapsed time per iteration (ms): 2700.5/2712.7 | hip mem usage/free/total/usage_ratio: 227.5GB/28.5GB/256.0GB/88.75% | throughput per GPU (TFLOP/s/GPU): 210.5/217.3 | tokens per GPU (tokens/s/GPU): 12,130.5/12525.5 | lm loss: 2.25E+00 | grad norm: 0.125';
  for (const head of [
    '[\u001b[32m20261127 12:00:01\u001b[0m][\u001b[36mrank-31/32\u001b[0m][\u001b[1mINFO \u001b[0m] \u001b[1m[--trainer.py:1] :  iteration    12125/   36000',
    '0[[32m20261127 12:00:01[0m][[36mrank-31/32[0m][[1mINFO [0m] [1m[--trainer.py:1] :  iteration    12125/   36000',
  ]) {
    const progress = first(step(tail, head));
    assert.equal(progress?.iteration, 12_125);
    assert.equal(progress?.rank, 31);
    assert.equal(progress?.step_time_ms, 2700.5);
    assert.equal(progress?.tokens_per_second_per_gpu, 12_130.5);
    assert.equal(progress?.memory_used_gb, 227.5);
    assert.ok(Math.abs((progress?.memory_ratio ?? 0) - 0.8875) < 1e-9);
  }
});

test('an older line: "iteration(ms)", a total gradient norm, samples per second, seconds instead of milliseconds', () => {
  const older = first(
    '[2026-11-27 12:00:08] iteration 13 / 118 | consumed samples: 37440 | elapsed time per iteration(ms): 17658.5 | lm loss: 6.25E-01 |total grad norm: 2.5 | samples per second: 163.5 | TFLOPs: 367.5 | ',
  );
  assert.equal(older?.step_time_ms, 17_658.5);
  assert.equal(older?.grad_norm, 2.5);
  assert.equal(older?.samples_per_second, 163.5);
  assert.equal(older?.tflops_per_gpu, 367.5);
  const seconds = first(step('elapsed time per iteration (s): 105.25 | lm loss: 2.0'));
  assert.equal(seconds?.step_time_ms, 105_250);
});

test('a line without loss, or without the bar at its end, is a step all the same', () => {
  const decoder = new JobLineDecoder('llama');
  const bare = (n: number) =>
    `iteration ${n} / 1000 | consumed samples: 12800 | elapsed time per iteration (ms): 234.5`;
  const seen = [1, 2, 3].flatMap((n) => decoder.decode(jobRecord(bare(n), n)).steps);
  assert.deepEqual(
    seen.map(({ position }) => position),
    [1, 2, 3],
    'only the first may wait for its rest',
  );
  assert.equal(seen[0]?.progress.loss, null);
});

test('a line that was broken in three is read as one, at the place of its first part', () => {
  const decoder = new JobLineDecoder('llama');
  const parts = [
    '[default7]: iteration   10/ 100 | consumed samples:    7 | elapsed time per iteration (s): 105.5 | learning',
    ' rate: 4.0E-05 | lm loss: 2.25E+00 | number of nan',
    'iterations:  0 | samples per second: 19.5 | TFLOPs: 149.5 |',
  ];
  const steps = parts.flatMap((part, index) => decoder.decode(jobRecord(part, index * 100)).steps);
  assert.equal(steps.length, 1);
  assert.equal(steps[0]?.position, 0);
  assert.equal(steps[0]?.progress.loss, 2.25);
  assert.equal(steps[0]?.progress.tflops_per_gpu, 149.5);
});

test('nan and inf are words in the progress and never samples', () => {
  const decoder = new JobLineDecoder('llama');
  const line = step('elapsed time per iteration (ms): 100.0 | lm loss: nan | grad norm: -inf');
  const { steps, samples } = decoder.decode(jobRecord(line));
  assert.equal(steps[0]?.progress.loss, 'nan');
  assert.equal(steps[0]?.progress.grad_norm, '-inf');
  const named = samples?.keys.map((key, i) => [key, samples.values[i]]);
  assert.deepEqual(named, [
    ['job/llama#step_time', 0.1],
    ['job/llama#iteration', 120],
    ['job/llama#target_iteration', 5000],
    ['job/llama#consumed_samples', 15_360],
  ]);
  assert.equal(samples?.trust, 'tenant');
});

for (const line of [
  'iteration 100 completed',
  'training completed',
  '| a | b |',
  ' iteration 7 of 9 | loss: 3 |',
  'valid loss at iteration 45000 | lm loss value: 2.3 | lm loss PPL: 1.0 |',
  'iteration x/9 | consumed samples: 1 |',
]) {
  test(`no step: ${line}`, () =>
    assert.equal(
      parseColumns(line, () => true),
      null,
    ));
}

test('no text throws, and every sample is a finite number', () => {
  const decoder = new JobLineDecoder('llama');
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'iteration 1/2 |',
      'consumed samples: 1 |',
      'elapsed time per iteration (ms): 1e999 |',
      'lm loss: 1e308 |',
      'step: 1 loss: 2 tps: ,,, ',
      '\u001b[',
      '[3',
      'training ...',
      'saving checkpoint at iteration ',
      '2026-99-99 99:99:99',
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const { samples } = decoder.decode(jobRecord(pieces.join('')));
      for (const value of samples?.values ?? []) assert.ok(Number.isFinite(value));
      assert.equal(samples?.keys.length, samples?.values.length);
    }),
    { numRuns: 3000 },
  );
});
