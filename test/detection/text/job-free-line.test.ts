// Progress in no known format: names and numbers in any order and any subset are read, what only looks like them is not.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseFreeLine } from '../../../src/detection/text/job/free-line.ts';
import { EMPTY_STEP, type StepLine } from '../../../src/detection/text/job/progress.ts';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { jobRecord } from './lines.ts';

const LINES: readonly (readonly [string, Partial<StepLine>])[] = [
  ['iter 100: loss 2.3456, time 123.45ms, mfu 12.34%', { iteration: 100, loss: 2.3456, step_time_ms: 123.45, mfu: 0.1234 }],
  ['{"step": 100, "loss": 2.1, "lr": 1e-4, "tokens/s": 12345.6}', { iteration: 100, loss: 2.1, learning_rate: 1e-4, tokens_per_second: 12_345.6 }],
  ['2026-11-27 12:00:00,123 INFO trainer: step=120/5000 loss=nan grad_norm=inf lr=1.2e-05 step_time=0.35s', { iteration: 120, target_iteration: 5000, loss: 'nan', grad_norm: 'inf', learning_rate: 1.2e-5, step_time_ms: 350 }],
  ['Step 12,345 | loss 2.10 | 1,234,567 tokens/s | 512 TFLOPs | mem 71.5 GB', { iteration: 12_345, loss: 2.1, tokens_per_second: 1_234_567, tflops_per_gpu: 512, memory_used_gb: 71.5 }],
  ['elapsed time per iteration (ms): 13372.8/13364.7 | iteration 126/ 5000 | lm loss: 6.5E-03 | throughput per GPU (TFLOP/s/GPU): 567.6/568.0', { iteration: 126, target_iteration: 5000, step_time_ms: 13_372.8, loss: 6.5e-3, tflops_per_gpu: 567.6 }],
  ['[rank3]: step: 7 loss: -1.25 samples/s: 3.5 (avg 3.4)', { iteration: 7, loss: -1.25, samples_per_second: 3.5 }],
  ['Training step 500 - 12.5 samples/sec, loss: 3.2, 1.5 s/it, GPU mem: 60GB', { iteration: 500, samples_per_second: 12.5, loss: 3.2, step_time_ms: 1500, memory_used_gb: 60 }],
  ['{"epoch": 1, "num_updates": "1000", "loss": "7.5", "lr": "0.0005", "gnorm": "2.5", "wps": "12345"}', { iteration: 1000, loss: 7.5, learning_rate: 0.0005, grad_norm: 2.5, tokens_per_second: 12_345 }],
  ['[step 3] loss 2.1 | 12.5K tok/s | 1.2M consumed tokens', { iteration: 3, loss: 2.1, tokens_per_second: 12_500 }],
  ['step 12 | loss: 2,345.1 | throughput (inst/avg): 123.4/120.1 TFLOPs', { iteration: 12, loss: 2345.1, tflops_per_gpu: 123.4 }],
  ['step 12 | loss 2.5 | 13k/12.5k tok/s | lr 1e-4', { iteration: 12, loss: 2.5, learning_rate: 1e-4, tokens_per_second: 13_000 }],
  ['loss_scale=65536 tflops=312.5 step=9 grad_norm=0.5', { iteration: 9, loss_scale: 65_536, tflops_per_gpu: 312.5, grad_norm: 0.5 }],
]; // biome-ignore format: one row a line

for (const [line, reads] of LINES)
  test(`reads: ${line}`, () => {
    const from = reads.step_time_ms === undefined ? {} : { step_time_from: 'printed' };
    assert.deepEqual(parseFreeLine(line), { ...EMPTY_STEP, ...reads, ...from });
  });

for (const line of [
  'step 1000: train loss 2.1, val loss 2.2',
  'eval step 100 loss 2.3 acc 0.5',
  'Evaluating: iteration 12 of 40, loss 2.0, 3.1 samples/s',
  'step 3/10 took 0.5s',
  'Step 1: download weights 3 of 7',
  'loaded checkpoint at iteration 1000 with loss scale 1.0',
  'saving model at step 100',
  'slurmstepd: error: step 12.0 loss of contact 3',
  'step-by-step guide: 1. loss 2. lr',
])
  test(`not a step: ${line}`, () => assert.equal(parseFreeLine(line), null));

for (const [line, rank] of [
  ['rank=3 step=10 loss=1.0 step_time=120ms', 3],
  ['Rank 3: step=10 loss=1.0 step_time=120ms', 3],
  ['2026-11-27 12:00:00 INFO rank 3 | step=10 loss=1.0 step_time=120ms', 3],
  ['step=10 loss=1.0 tokens/s=1000 rank=3', 3],
  ['[rank5]: step=10 loss=1.0 tokens/s=1000 rank=3', 5],
  ['step=10 loss=1.0 tokens/s=1000 lora rank 16', null],
  ['step=10 loss=1.0 tokens/s=1000 lora_rank=16', null],
  ['step=10, loss=1.0, tokens/s=1000, rank=3', 3],
  ['(rank 3) step=10 loss=1.0 tokens/s=1000', 3],
  ['step=10 loss=1.0 tokens/s=1000 (slowest rank 3, rank 5)', null],
  ['step=10 loss=1.0 tokens/s=1000 slowest: rank 5', null],
] as const)
  test(`the rank of: ${line}`, () => {
    const { steps } = new JobLineDecoder('llama').decode(jobRecord(line));
    assert.deepEqual(steps.map(({ progress }) => progress.rank), [rank]); // biome-ignore format: one line
  });

/** Rows of faults have such words, too. */
for (const line of [
  'step=121 loss=nan tokens_per_sec=1,234,567 grad_norm=0.5',
  'loss=nan step=121 tokens_per_sec=1,234,567 grad_norm=0.5',
  'lr=1e-4 grad_norm=-inf loss=-inf iter=121/1000',
])
  test(`a step whose loss is nan or inf is a step and a fault: ${line}`, () => {
    const { steps, events, faults } = new JobLineDecoder('llama').decode(jobRecord(line));
    assert.deepEqual([steps.map(({ progress }) => progress.iteration), [...events, ...faults].map(({ kind }) => kind)], [[121], ['job.nan']]); // biome-ignore format: one line
  });

test('an exception that quotes a step stays an exception', () => {
  const line = 'RuntimeError: loss=nan at step=121 lr=1e-4 grad_norm=0.5';
  const decoder = new JobLineDecoder('llama');
  const decoded = ['Traceback (most recent call last):', '  File "train.py", line 9, in <module>', line].map((text, i) => decoder.decode(jobRecord(text, i))); // biome-ignore format: one line
  assert.deepEqual(decoded.flatMap(({ steps }) => steps), []); // biome-ignore format: one line
});

const PARTS = [
  'loss: 2.5',
  'lr=1e-4',
  'grad norm 0.25',
  'step time: 350 ms',
  '9801.5 tokens/s/gpu',
  'mem 60 GB',
  'mfu: 41.5%',
];

test('in any order, and any subset that still says that it is a training, the same is read', () => {
  const whole = parseFreeLine(`step 12/100 ${PARTS.join(' ')}`);
  assert.ok(whole);
  fc.assert(
    fc.property(fc.shuffledSubarray(PARTS, { minLength: 3 }), fc.constantFrom(', ', ' | ', '  '), (parts, between) => {
      const some = parts.some((part) => part.startsWith('loss') || part.includes('tokens'));
      const step = parseFreeLine(['step 12/100', ...parts].join(between));
      assert.equal(step !== null, some, parts.join(between));
      if (step === null) return;
      for (const [name, value] of Object.entries(step))
        if (value !== null) assert.equal(value, whole[name as keyof StepLine], name);
    }),
    { seed: 17, numRuns: 300 },
  );
});

test('a job of a known framework has no further steps from lines that look like some', () => {
  const decoder = new JobLineDecoder('llama');
  const known = ' iteration 12/ 100 | consumed samples: 15 | elapsed time per iteration (ms): 5.5 | lm loss: 2.5 |';
  assert.equal(decoder.decode(jobRecord('step 3 loss 1.5 lr 0.1', 0)).steps.length, 1);
  assert.equal(decoder.decode(jobRecord(known, 1)).steps.length, 1);
  assert.equal(decoder.decode(jobRecord('step 4 loss 1.5 lr 0.1', 2)).steps.length, 0);
});

test('whatever is in a line, numbers are finite and long lines are read in time', () => {
  const piece = fc.constantFrom(
    'step ',
    'loss',
    ': ',
    '1,',
    '1e9',
    '/',
    'nan',
    '(ms)',
    ' lr=',
    '%',
    'tokens/s',
    '\u0000',
    ' '.repeat(40),
    '9'.repeat(30),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 400 }), (pieces) => {
      const step = parseFreeLine(pieces.join(''));
      for (const value of Object.values(step ?? {})) if (typeof value === 'number') assert.ok(Number.isFinite(value));
    }),
    { seed: 17, numRuns: 500 },
  );
});
