// A link that came back slower than it was before the start.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RateEdge, RateWatch } from '../../../src/sources/nic/rate-watch.ts';

function edges(before: number | null, ...rates: number[]): (RateEdge['state'] | null)[] {
  const watch = new RateWatch(before);
  return rates.map((rate, index) => watch.update(rate, 1000 * index)?.state ?? null);
}

test('three readings in a row at half the rate are an onset, the old rate ends it', () => {
  assert.deepEqual(edges(400e9, 200e9, 200e9, 200e9, 200e9, 400e9, 200e9), [null, null, 'onset', null, 'clear', null]);
});

test('a link that trains up within the first readings, one that was as slow and one that is not known are nothing', () => {
  assert.deepEqual(edges(400e9, 100e9, 200e9, 400e9, 200e9, 200e9, 200e9), Array(6).fill(null));
  assert.deepEqual(edges(200e9, 200e9, 200e9, 200e9), Array(3).fill(null));
  assert.deepEqual(edges(null, 100e9, 100e9, 100e9), Array(3).fill(null));
});

test('native code takes over only once it is decided', () => {
  const watch = new RateWatch(400e9);
  assert.equal(watch.settled, true);
  watch.update(200e9, 0);
  assert.equal(watch.settled, false);
  watch.update(200e9, 1);
  assert.deepEqual(watch.update(200e9, 2), {
    state: 'onset',
    interval: { earliestMs: 0, latestMs: 2 },
    before: 400e9,
    after: 200e9,
  });
  assert.equal(watch.settled, true);
});
