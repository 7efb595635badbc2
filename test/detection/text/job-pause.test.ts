// Lines about pauses: what they say, what looks like one and is none, and what they do to a step time from line times.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePause } from '../../../src/detection/text/job/pause-line.ts';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { jobRecord, START_MS } from './lines.ts';

test('a line begins a pause, continues with it, or ends it', () => {
  const read = (line: string) => {
    const pause = parsePause(line);
    return pause === null ? null : `${pause.why} ${pause.ends ? 'ends' : 'begins'}`;
  };
  const cases: [string, string | null][] = [
    [' validation loss at iteration 1000 | lm loss value: 2.3E+00 |', 'evaluation ends'],
    ['0: validation loss at iteration 238 [hplt] | lm loss value: 1.26 |', 'evaluation ends'],
    [
      '[default7]:valid loss at iteration 45000 | lm loss value: 2.327091E+00 | lm loss PPL: 1.024808E+01 |',
      'evaluation ends',
    ],
    ['2025-02-24 17:35:03\tJob ID: 198424\t# GPUs: 8\tSaving async checkpoint\tIteration: 100', 'checkpoint begins'],
    ['Evaluating iter 3/10', 'evaluation begins'],
    ['Evaluating iter 10/10', 'evaluation ends'],
    ['Validation: iteration 9/32', 'evaluation begins'],
    ['Validation DataLoader 0:  50%|█████     | 25/50 [00:10<00:10,  2.31it/s]', 'evaluation begins'],
    ['Sanity Checking DataLoader 0: 100%|██████████| 2/2 [00:00<00:00,  5.2it/s]', 'evaluation ends'],
    ['***** Running Prediction *****', 'evaluation begins'],
    ['Model weights saved in /out/checkpoint-500/model.safetensors', 'checkpoint ends'],
    ['Scheduled async checkpoint save for /ckpt/step=24.ckpt', 'checkpoint ends'],
    ['data validated', null],
    ['evaluation_interval ............................. 100', null],
    [' loading checkpoint from /ckpt at iteration 500', 'load begins'],
    ['  successfully loaded checkpoint from /ckpt [ t 1/8, p 1/4 ] at iteration 500', 'load ends'],
    [
      '[rank0]:[titan] 2026-11-28 12:00:00,123 - root - INFO - Finished loading the checkpoint in 65.64 seconds.',
      'load ends',
    ],
    ['Restored all states from the checkpoint at /ckpt/last.ckpt', 'load ends'],
    ['Failed loading checkpoint from /ckpt', null],
    ['WARNING: Compiling jit(train_step) with global shapes and types (ShapedArray(int32[4,512]),).', 'compile begins'],
    ['Finished XLA compilation of jit(train_step) in 93.123456789 sec', 'compile ends'],
    [
      '[Compiling module jit_train_step] Very slow compile? If you want to file a bug, run with envvar XLA_FLAGS',
      'compile begins',
    ],
    [
      'SingleProcess AUTOTUNE benchmarking takes 2.0428 seconds and 7.5727 seconds precompiling for 20 choices',
      'compile ends',
    ],
    ['Compiling the kernel module', null],
    ['', null],
  ];
  for (const [line, wanted] of cases) assert.equal(read(line), wanted, line);
});

test('a line of any length is read to its head only', () => {
  assert.equal(parsePause(`${'x'.repeat(600)} validation loss at iteration 5`), null);
});

test('Megatron’s and torchtitan’s save lines are marks besides their events', () => {
  const decoder = new JobLineDecoder('llama');
  const lines = [
    'saving checkpoint at iteration     100 to /ckpt in torch_dist format',
    'successfully saved checkpoint from iteration     100 to /ckpt [ t 1/8, p 1/1 ]',
    'training ...',
  ];
  const found = lines.map((line, i) => decoder.decode(jobRecord(line, i, START_MS + i * 1000)).pauses);
  assert.deepEqual(found.map(([one]) => one?.ends ?? null), [false, true, null]); // biome-ignore format: one call
  assert.deepEqual(found[1]?.[0]?.component, { type: 'job', id: 'llama' });
  assert.equal(found[1]?.[0]?.timeMs, START_MS + 1000);
});

test('torchtitan’s step after a validation counts from its result, which is not a step', () => {
  const decoder = new JobLineDecoder('llama');
  const at = (seconds: number, text: string) => {
    const time = new Date(START_MS + seconds * 1000).toISOString().replace('T', ' ').slice(0, 19);
    return decoder.decode(jobRecord(`[rank0]:[titan] ${time},000 - root - INFO - ${text}`, seconds, START_MS + seconds * 1000));
  };
  at(0, 'step: 99  loss: 4.2  tps: 7,282');
  at(2, 'step: 100  loss: 4.2  tps: 7,282');
  const validated = at(42, 'validate step: 100  loss: 4.4  memory: 9.46GiB(64.99%)  tps: 9,000');
  assert.deepEqual([validated.steps, validated.samples, validated.pauses.length], [[], null, 1]);
  const next = at(44, 'step: 101  loss: 4.2  tps: 7,282');
  assert.equal(next.steps[0]?.progress.step_time_ms, 2000);
}); // biome-ignore format: one line a step

test('a NeMo step is read by the count that continues over epochs', () => {
  const decoder = new JobLineDecoder('llama');
  const line = (epoch: number, iteration: number, step: number) =>
    `[default0]:Training epoch ${epoch}, iteration ${iteration}/99 | lr: 1.469e-05 | global_batch_size: 128 | global_step: ${step} | reduced_train_loss: 6.265 | train_step_timing in s: 12.22 | tokens_per_sec_per_gpu: 1.073e+04 | consumed_samples: 12544`;
  const decoded = [line(0, 98, 98), line(0, 99, 99), line(1, 0, 100), line(1, 1, 101)].map((text, i) =>
    decoder.decode(jobRecord(text, i, START_MS + i * 12_000)),
  );
  const steps = [...decoded, decoder.flush()].flatMap((one) => one.steps).map(({ progress }) => progress);
  assert.deepEqual(steps.map(({ iteration }) => iteration), [98, 99, 100, 101]); // biome-ignore format: one call
  const [first] = steps;
  assert.equal(first?.step_time_ms, 12_220);
  assert.equal(first?.loss, 6.265);
  assert.equal(first?.tokens_per_second_per_gpu, 10_730);
  assert.equal(first?.consumed_samples, 12_544);
  assert.equal(first?.global_batch_size, 128);
  assert.ok(
    decoded.every(({ events }) => events.length === 0),
    'a new epoch is not a restart',
  );
});

test('a line that reports that a checkpoint failed begins no pause for one', () => {
  const line = 'saving model checkpoint to /ckpt/global_step500 with tag global_step500';
  assert.equal(parsePause(line)?.why, 'checkpoint');
  assert.equal(parsePause(`[ERROR] [engine.py:3124:_save] Failed ${line}`), null);
  assert.equal(parsePause(`Error while ${line}`), null);
});
