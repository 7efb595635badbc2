// A loss that jumps and comes back is noted, one that stays above is an incident; what is usual is of the run alone.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LossWatch } from '../../../src/detection/job/loss-watch.ts';
import type { LoggedNumber } from '../../../src/detection/text/job/number.ts';
import { EMPTY_STEP } from '../../../src/detection/text/job/progress.ts';

const JOB = { type: 'job', id: 'llama' } as const;

function watched(losses: readonly (readonly [iteration: number, loss: LoggedNumber | null])[]) {
  const watch = new LossWatch();
  return losses
    .flatMap(([iteration, loss]) => {
      const progress = { ...EMPTY_STEP, iteration, loss, time: null, rank: null };
      return watch.steps(JOB, [{ position: iteration, timeMs: 1000 * iteration, progress }]);
    })
    .map(({ kind, state, attributes, timeMs }) => [kind, state ?? 'point', attributes?.iteration, timeMs / 1000]);
}

const calm = (from: number, count: number, every = 1) =>
  Array.from({ length: count }, (_, i) => [from + i * every, 2.1 + 0.01 * (i % 3)] as const);
const above = (from: number, count: number, every = 1) =>
  Array.from({ length: count }, (_, i) => [from + i * every, 7 - 0.1 * i] as const);

test('a jump that comes back within a few steps is a spike', () => {
  assert.deepEqual(watched([...calm(1, 10), ...above(11, 4), ...calm(15, 5)]), [['job.loss_spike', 'point', 11, 15]]);
});

test('one that stays is a divergence, once, and is over when the loss is back', () => {
  assert.deepEqual(watched([...calm(100, 4, 10), ...above(140, 9, 10), ...calm(230, 3, 10)]), [
    ['job.loss_divergence', 'onset', 140, 180],
    ['job.loss_divergence', 'clear', 140, 230],
  ]);
});

test('many reports of few steps do not make a divergence', () => {
  assert.deepEqual(watched([...calm(1, 10), ...above(11, 15)]), []);
});

test('falling, noisy and missing losses are none', () => {
  const falling = Array.from({ length: 50 }, (_, i) => [i, 11 / (i + 1)] as const);
  const noisy = Array.from({ length: 60 }, (_, i) => [i, Math.sin(i * 7.3) * 0.04] as const);
  const missing = Array.from({ length: 30 }, (_, i) => [i, i % 2 === 0 ? 'nan' : null] as const);
  for (const losses of [falling, noisy, missing]) assert.deepEqual(watched(losses), []);
});

test('lines of every rank are one step, and a run that starts again learns again', () => {
  const ranks = calm(1, 10).flatMap(([iteration, loss]) => [[iteration, loss], [iteration, loss * 9]] as const); // biome-ignore format: one line
  assert.deepEqual(watched(ranks), []);
  assert.deepEqual(watched([...calm(500, 10), ...above(1, 30)]), []);
});
