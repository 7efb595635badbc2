// Pauses of a job in the words of each framework: none is reported as a slow job, and a slow job is none for having them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type LoggedJob, loggedJob } from '../logged-job.ts';

const USUAL = 400;
const SLOW = 2400;

/** What is in the log of one pause: before it, and when it is over. */
const PAUSES: Record<string, { readonly before?: string; readonly after?: string; readonly why: string }> = {
  'an evaluation in Megatron': {
    after: ' validation loss at iteration 500 on validation set | lm loss value: 2.31E+00 | lm loss PPL: 1.0E+01 | ',
    why: 'evaluation',
  },
  'an evaluation in newer Megatron': { before: 'Evaluating on 5120 samples', after: 'Evaluating iter 10/10', why: 'evaluation' },
  'a checkpoint in Megatron': {
    before: 'saving checkpoint at iteration     500 to /ckpt in torch_dist format',
    after: '  successfully saved checkpoint from iteration     500 to /ckpt [ t 1/8, p 1/1 ]',
    why: 'checkpoint',
  },
  'an evaluation in the HF Trainer': {
    before: '***** Running Evaluation *****',
    after: "{'eval_loss': 2.31, 'eval_runtime': 12.5, 'eval_samples_per_second': 8.1, 'epoch': 0.5}",
    why: 'evaluation',
  },
  'a checkpoint of the HF Trainer': {
    before: 'Saving model checkpoint to /out/checkpoint-500',
    after: 'tokenizer config file saved in /out/checkpoint-500/tokenizer_config.json',
    why: 'checkpoint',
  },
  'a validation in Lightning': { after: 'Validation DataLoader 0: 100%|██████████| 50/50 [00:21<00:00,  2.31it/s]', why: 'evaluation' },
  'a checkpoint in Lightning': {
    before: "Epoch 0, global step 500: 'val_loss' reached 2.31000 (best 2.31000), saving model to '/out/e.ckpt' as top 1",
    why: 'checkpoint',
  },
  'a validation in NeMo': { before: 'Validation: iteration 1/32', after: 'Validation: iteration 32/32', why: 'evaluation' },
  'a checkpoint in NeMo': {
    after: '[NeMo I 2026-11-27 14:33:00 nemo_logging:393] Async checkpoint save for step 500 (/c/step=499.ckpt) finalized successfully.',
    why: 'checkpoint',
  },
  'a checkpoint in DeepSpeed': {
    before: '[2026-11-27 14:33:00,261] [INFO] [logging.py:96:log_dist] [Rank 0] [Torch] Checkpoint global_step500 is about to be saved!',
    after: '[2026-11-27 14:33:21,101] [INFO] [torch_checkpoint_engine.py:33:commit] [Torch] Checkpoint global_step500 is ready now!',
    why: 'checkpoint',
  },
  'an evaluation in DeepSpeed-Chat': { before: '***** Evaluating perplexity, Epoch 1/4 *****', why: 'evaluation' },
  'a load of a checkpoint in Megatron': {
    before: ' loading checkpoint from /ckpt at iteration 500',
    after: '  successfully loaded checkpoint from /ckpt [ t 1/8, p 1/4 ] at iteration 500',
    why: 'load',
  },
  'a compilation in JAX': {
    before: 'WARNING: Compiling jit(train_step) with global shapes and types (ShapedArray(int32[4,512]),).',
    after: 'Finished XLA compilation of jit(train_step) in 93.123456789 sec',
    why: 'compile',
  },
  'an autotuning of TorchInductor': {
    after: 'SingleProcess AUTOTUNE benchmarking takes 2.0428 seconds and 7.5727 seconds precompiling for 20 choices',
    why: 'compile',
  },
  'a validation in torchtitan': { after: '[rank0]:[titan] 2026-11-27 14:33:00,000 - root - INFO - validate step: 500  loss:  2.31  tps: 7,282', why: 'evaluation' },
}; // biome-ignore format: one framework a line

for (const [name, { before, after, why }] of Object.entries(PAUSES)) {
  test(`${name} that makes one step long is not a slow job`, (t) => {
    const job = loggedJob(t).run(40, USUAL);
    for (let i = 0; i < 4; i += 1) {
      if (before !== undefined) job.line(before);
      job.wait(60_000);
      if (after !== undefined) job.line(after);
      job.step(62_000).run(60, USUAL);
    }
    assert.deepEqual(job.reported, []);
  });

  test(`${name} with slow steps: reported, taken back when it is over, and known when it comes again`, (t) => {
    const job = loggedJob(t).run(40, USUAL);
    for (let i = 0; i < 4; i += 1) {
      if (before !== undefined) job.line(before);
      job.run(11, SLOW);
      if (after !== undefined) job.line(after);
      job.step(SLOW).run(100, USUAL);
    }
    const reported = [`clear 53`, `pause ${why} 53`];
    // What was announced is given two steps, and the second time as many as the first one took.
    if (before !== undefined) assert.deepEqual(job.reported, ['onset 44', ...reported]);
    else assert.deepEqual(job.reported, ['onset 42', ...reported, 'onset 154', 'clear 165', `pause ${why} 165`]);
  });
}

const EVALUATED = 'validation loss at iteration 500 | lm loss value: 2.31E+00 |';

function evaluations(job: LoggedJob, times: number): LoggedJob {
  for (let i = 0; i < times; i += 1) job.run(12, SLOW).line(EVALUATED).run(100, USUAL);
  return job;
}

test('the line may come a step or two after the steps are as fast as before', (t) => {
  const job = loggedJob(t).run(40, USUAL).run(12, SLOW).run(2, USUAL).line(EVALUATED);
  assert.deepEqual(job.reported, ['onset 42', 'clear 53', 'pause evaluation 54']);
});

test('a line long after the end explains nothing', (t) => {
  const job = loggedJob(t).run(40, USUAL).run(12, SLOW).run(10, USUAL).line(EVALUATED).run(10, USUAL);
  assert.deepEqual(job.reported, ['onset 42', 'clear 53']);
});

test('pauses without any line are a rhythm from the third on', (t) => {
  const job = loggedJob(t).run(40, USUAL);
  for (let i = 0; i < 6; i += 1) job.run(5, SLOW).run(95, USUAL);
  assert.deepEqual(job.reported, ['onset 42', 'clear 46', 'onset 142', 'clear 146', 'onset 242', 'clear 246', 'pause rhythm 246']);
}); // biome-ignore format: one list

test('slow steps at any distance are no rhythm', (t) => {
  const job = loggedJob(t).run(40, USUAL);
  for (const apart of [95, 140, 60, 171, 88]) job.run(5, SLOW).run(apart, USUAL);
  assert.equal(job.reported.filter((reported) => reported.startsWith('onset')).length, 5);
  assert.ok(!job.reported.some((reported) => reported.startsWith('pause')));
});

test('every step in fifty is long: no word of it, for one long step is not a slowdown', (t) => {
  const job = loggedJob(t).run(40, USUAL);
  for (let i = 0; i < 20; i += 1) job.step(9000).run(49, USUAL);
  assert.deepEqual(job.reported, []);
});

test('a pause that does not end is reported once it has taken longer than it ever did', (t) => {
  const job = evaluations(loggedJob(t).run(40, USUAL), 3);
  const before = job.reported.length;
  job.run(40, SLOW);
  const reported = job.reported.slice(before);
  assert.equal(reported.length, 1);
  assert.ok(Number(/^onset (\d+)$/.exec(reported[0] ?? '')?.[1]) <= 40 + 3 * 112 + 18, reported[0]);
});

test('where a pause is due, steps that are slower than it ever was are reported at once', (t) => {
  const job = evaluations(loggedJob(t).run(40, USUAL), 3);
  const [before, from] = [job.reported.length, job.steps];
  job.run(5, 3 * SLOW);
  assert.deepEqual(job.reported.slice(before), [`onset ${from + 2}`]);
});

test('a slowdown that several evaluations fall into is none of theirs', (t) => {
  const job = loggedJob(t).run(40, USUAL);
  for (let i = 0; i < 3; i += 1) job.run(30, SLOW).line(EVALUATED);
  job.run(10, USUAL);
  assert.deepEqual(job.reported, ['onset 42', 'clear 131']);
});

test('a new start voids what was learned', (t) => {
  const job = evaluations(loggedJob(t).run(40, USUAL), 3).line('training ...').run(10, USUAL);
  const before = job.reported.length;
  job.run(90, USUAL).run(12, SLOW);
  assert.equal(job.reported.length, before + 1);
});

test('a job that writes such a line with every step hides nothing by it', (t) => {
  const job = loggedJob(t);
  for (let i = 0; i < 60; i += 1) job.step(USUAL + (i % 3)).line('Validation: iteration 1/1');
  for (let i = 0; i < 12; i += 1) job.step(SLOW).line('Validation: iteration 1/1');
  for (let i = 0; i < 12; i += 1) job.step(USUAL + (i % 3)).line('Validation: iteration 1/1');
  assert.deepEqual(job.reported, ['onset 62', 'clear 73']);
});

test('a slowdown that lasts is reported at most two steps later for all the pauses before it', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 24, max: 80 }), fc.boolean(), (pauses, at, line) => {
      const job = evaluations(loggedJob(t).run(40, USUAL), pauses).run(at - 14, USUAL);
      if (line) job.line(EVALUATED);
      const [before, from] = [job.reported.length, job.steps];
      job.run(30, SLOW);
      const [reported, ...more] = job.reported.slice(before);
      assert.deepEqual(more, []);
      assert.match(String(reported), /^onset /);
      assert.ok(Number(reported?.split(' ')[1]) <= from + 4, `${reported} after ${from}`);
    }),
    { numRuns: 60 },
  );
});
