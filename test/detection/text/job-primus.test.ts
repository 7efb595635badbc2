// Lines of Primus, and of its neighbours, as their own tests have them: all eighteen numbers, in the line and as series.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { jobRecord } from './lines.ts';

const NUMBERS =
  'consumed samples: 16128 | elapsed time per iteration (ms): 13372.8/13364.7 | hip mem usage/free/total/usage_ratio: 153.81GB/102.17GB/255.98GB/60.09% | throughput per GPU (TFLOP/s/GPU): 567.6/568.0 | tokens per GPU (tokens/s/GPU): 9801.4/9807.3 | learning rate: 9.984820E-06 | global batch size: 128 | lm loss: 6.548988E-03 | loss scale: 1.0 | grad norm: 0.061 | number of skipped iterations: 0 | number of nan iterations: 0 |';

/** Head of the line, what is said of it, and a line of other numbers where it has them. */
const HEADS = {
  'escape bytes lost': '[[32m20251202 09:12:08[0m][[36mrank-7/8[0m][[1mINFO [0m] [1m[--------trainer.py:2560] : iteration 126/ 5000 | ',
  'escape bytes kept':
    '[\u001b[32m20251202 09:12:08\u001b[0m][\u001b[36mrank-7/8\u001b[0m][\u001b[1mINFO \u001b[0m] \u001b[1m[--------trainer.py:2488] :  iteration      126/    5000 | ',
  'a stray zero before it':
    '0[[32m20251202 09:12:08[0m][[36mrank-7/8[0m][[1mINFO [0m] [1m[--------trainer.py:2560] : iteration 126/ 5000 | ',
  'no colours': '[20251202 09:12:08][rank-7/8][INFO ] [--------trainer.py:2560] : iteration 126/ 5000 | ',
}; // biome-ignore format: as they are printed

const SERIES: readonly (readonly [string, number])[] = [
  ['step_time', 13.3728],
  ['tokens_per_second_per_gpu', 9801.4],
  ['tflops_per_gpu', 567.6],
  ['iteration', 126],
  ['target_iteration', 5000],
  ['loss', 6.548988e-3],
  ['loss_scale', 1],
  ['grad_norm', 0.061],
  ['learning_rate', 9.98482e-6],
  ['batch_size', 128],
  ['consumed_samples', 16_128],
  ['memory_used', 153.81e9],
  ['memory_free', 102.17e9],
  ['memory_total', 255.98e9],
  ['memory_ratio', 0.6009],
  ['skipped_iterations', 0],
  ['nan_iterations', 0],
];

for (const [what, head] of Object.entries(HEADS)) {
  test(`seventeen numbers of one line, each a series in SI units: ${what}`, () => {
    const { steps, samples } = new JobLineDecoder('llama').decode(jobRecord(`${head}${NUMBERS}[0m`));
    assert.equal(steps[0]?.progress.rank, 7);
    const read = new Map(samples?.keys.map((key, i) => [key, samples.values[i] ?? Number.NaN]));
    assert.equal(read.size, SERIES.length);
    for (const [quantity, value] of SERIES) {
      const found = read.get(`job/llama#${quantity}`) ?? Number.NaN;
      assert.ok(Math.abs(found - value) <= 1e-9 * value, `${quantity}: ${found}`);
    }
  });
}

test('the eighteenth is the number of zeros; memory of older lines is a ratio, newer ones name the mean', () => {
  const line =
    ' iteration      126/    5000 | consumed samples: 16128 | elapsed time per iteration (ms): 13372.8 | mem usages: 0.5462 | tokens per GPU (tokens/s/GPU inst/harmonic mean): 9801.4/9807.3 | num zeros: 12345.0 |';
  const progress = new JobLineDecoder('llama').decode(jobRecord(line)).steps[0]?.progress;
  assert.equal(progress?.num_zeros, 12_345);
  assert.equal(progress?.memory_ratio, 0.5462);
  assert.equal(progress?.memory_used_gb, null);
  assert.equal(progress?.tokens_per_second_per_gpu, 9801.4);
});

test('an older line: no blank before the unit, further fields, a total norm', () => {
  const line =
    '[2024-02-27 15:45:08] iteration 13 / 118 | consumed samples: 37440 | consumed tokens: 153354240 | elapsed time per iteration(ms): 17658.3 | learning rate: 7.350 | global batch size: 2880 | lm loss: 6.233628E-01 | loss scale: 1.0 |total grad norm: 2.773 | actual seqlen: 4096 | number of skipped iterations: 0 | number of nan iterations: 0 | samples per second: 163.096 | TFLOPs: 367.59 | ';
  const progress = new JobLineDecoder('llama').decode(jobRecord(line)).steps[0]?.progress;
  const {
    iteration,
    target_iteration: target,
    step_time_ms: ms,
    grad_norm: norm,
    consumed_tokens: tokens,
  } = progress ?? {};
  assert.deepEqual([iteration, target, ms, norm, tokens], [13, 118, 17_658.3, 2.773, 153_354_240]);
  assert.deepEqual([progress?.samples_per_second, progress?.tflops_per_gpu, progress?.learning_rate], [163.096, 367.59, 7.35]); // biome-ignore format: one line
});

const iterationOf = (line: string) => {
  const { steps, events } = new JobLineDecoder('llama').decode(jobRecord(line));
  return [steps.map(({ progress }) => progress.iteration), events.map(({ kind }) => kind)];
};

test('short lines: part of a step, a step that is over, the start of a training, and what is none of them', () => {
  const part = new JobLineDecoder('llama');
  const line = 'iteration 100 / 1000 | consumed samples: 12800 | elapsed time per iteration (ms): 234.5';
  const decoded = [part.decode(jobRecord(line)), part.flush()].flatMap(({ steps }) => steps);
  assert.deepEqual(decoded.map(({ progress }) => [progress.iteration, progress.step_time_ms]), [[100, 234.5]]); // biome-ignore format: one line
  assert.deepEqual(iterationOf('iteration 100 completed'), [[100], []]);
  assert.deepEqual(iterationOf('training ...'), [[], ['job.started']]);
  for (const other of ['training completed', 'starting model', 'checkpoint saved', 'Starting training'])
    assert.deepEqual(iterationOf(other), [[], []], other);
});

test('checkpoints: a start with its place, an end with its time, one line for both', () => {
  const decoder = new JobLineDecoder('llama');
  const saved: EventInput[] = [
    'saving checkpoint at iteration 100 to /tmp/ckpt',
    'successfully saved checkpoint at iteration 100 to /tmp/ckpt, took 5321 ms',
    'Checkpoint saved: .checkpoints/nan_grad_step_0.pt',
  ].flatMap((line, i) => [...decoder.decode(jobRecord(line, i)).events]);
  assert.deepEqual(
    saved.map(({ kind, attributes }) => [kind, attributes?.iteration, attributes?.path, attributes?.duration_s]),
    [
      ['job.checkpoint_saved', 100, '/tmp/ckpt', 5.321],
      ['job.checkpoint_saved', undefined, '.checkpoints/nan_grad_step_0.pt', undefined],
    ],
  );
});

test('layers whose gradients are no numbers are reported, none of them is not', () => {
  const faults = (line: string) => new JobLineDecoder('llama').decode(jobRecord(line)).faults;
  const [fault] = faults('Total layers with NaN gradients: 15');
  assert.deepEqual([fault?.kind, fault?.attributes?.layers], ['job.nan', 15]);
  assert.deepEqual(faults('Total layers with NaN gradients: 0'), []);
});
