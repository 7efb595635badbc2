// LeftBehind: a limit that most GPUs of the host have back and one has not is reported again as one that was forgotten.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeftBehind } from '../../../src/detection/rules/left-behind.ts';
import type { EventInput } from '../../../src/model/record.ts';

const SET_MS = 1_000_000;
const BACK_MS = SET_MS + 720_000;

function change(gpu: number, state: 'onset' | 'clear', timeMs: number): EventInput {
  const component = { type: 'gpu', id: `0000:${gpu}b:00.0` } as const;
  const given = { observedMs: timeMs, trust: 'driver', source: 'gpu', severity: 'warning', discriminator: 'gpu-power-limit' } as const; // biome-ignore format: one line
  return {
    kind: 'gpu.power_limit_changed',
    component,
    timeMs,
    state,
    attributes: { before: 700, after: 450 },
    ...given,
  };
}

/** All are lowered a second apart; those of `back` have their limit again. */
function watch(gpus: number, back: readonly number[]): LeftBehind {
  const made = new LeftBehind();
  for (let gpu = 0; gpu < gpus; gpu += 1) made.take(change(gpu, 'onset', SET_MS + 1000 * gpu));
  for (const gpu of back) made.take(change(gpu, 'clear', BACK_MS));
  return made;
}

test('one of eight that keeps its limit is reported once, a minute after the others have theirs back', () => {
  const made = watch(8, [0, 1, 2, 3, 4, 6, 7]);
  assert.deepEqual(made.settle(BACK_MS + 59_999), [], 'whoever sets them back is at it still');
  const [left, ...more] = made.settle(BACK_MS + 61_000);
  assert.deepEqual(more, []);
  assert.equal(left?.component?.id, '0000:5b:00.0');
  assert.equal(left.timeMs, BACK_MS + 60_000);
  assert.deepEqual(left.attributes, { before: 700, after: 450, left_behind: true, set_back_on: 7 });
  assert.notEqual(left.discriminator, 'gpu-power-limit', 'an event of its own');
  assert.deepEqual(made.settle(BACK_MS + 600_000), []);
});

test('where all are lowered still, all are back, or only a few are, nothing was forgotten', () => {
  for (const back of [[], [0, 1, 2, 3, 4, 5, 6, 7], [0], [0, 1, 2, 3]])
    assert.deepEqual(watch(8, back).settle(BACK_MS + 600_000), [], `${back.length} are back`);
});

test('a GPU whose limit was lowered at another time was meant alone', () => {
  const made = watch(4, [0, 1, 2, 3]);
  made.take(change(5, 'onset', SET_MS + 300_000));
  assert.deepEqual(made.settle(BACK_MS + 600_000), []);
});
