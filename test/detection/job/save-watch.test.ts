// A checkpoint is slow against those of the same job before it, never by itself.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SaveWatch } from '../../../src/detection/job/save-watch.ts';

const component = { type: 'job', id: 'llama' } as const;
const mark = (timeMs: number, ends: boolean, why: 'checkpoint' | 'evaluation' = 'checkpoint') =>
  ({ component, why, ends, after: null, timeMs }) as const;

function saved(watch: SaveWatch, fromMs: number, tookMs: number): void {
  watch.pause(mark(fromMs, false));
  watch.pause(mark(fromMs + tookMs, true));
}

test('after two saves of twelve seconds one of more than a minute is slow, and over when it is written', () => {
  const watch = new SaveWatch();
  saved(watch, 0, 12_000);
  saved(watch, 100_000, 12_000);
  watch.pause(mark(200_000, false));
  assert.equal(watch.waiting, true);
  assert.deepEqual(watch.settle(259_999), []);
  const [onset] = watch.settle(300_000);
  assert.equal(onset?.kind, 'job.checkpoint_slow');
  assert.equal(onset?.timeMs, 260_000, 'the deadline, not the moment of looking');
  assert.deepEqual(onset?.interval, { earliestMs: 200_000, latestMs: 260_000 });
  assert.deepEqual(watch.settle(310_000), [], 'reported once');
  watch.pause(mark(400_000, true));
  assert.equal(watch.settle(400_001)[0]?.state, 'clear');
});

test('three times the longest usual one is allowed', () => {
  const watch = new SaveWatch();
  saved(watch, 0, 90_000);
  saved(watch, 200_000, 40_000);
  watch.pause(mark(500_000, false));
  assert.deepEqual(watch.settle(769_000), []);
  assert.equal(watch.settle(771_000).length, 1);
});

test('a job of which nothing is known is not judged', () => {
  const watch = new SaveWatch();
  saved(watch, 0, 1000);
  watch.pause(mark(10_000, false));
  assert.deepEqual(watch.settle(3_000_000), []);
});

test('a job that begins again writes the save no more', () => {
  const watch = new SaveWatch();
  saved(watch, 0, 1000);
  saved(watch, 10_000, 1000);
  watch.pause(mark(20_000, false));
  watch.restarted(component, 30_000);
  assert.deepEqual(watch.settle(900_000), []);
  assert.equal(watch.waiting, false);
});

test('an evaluation is not a save', () => {
  const watch = new SaveWatch();
  watch.pause(mark(0, false, 'evaluation'));
  assert.equal(watch.waiting, false);
});
