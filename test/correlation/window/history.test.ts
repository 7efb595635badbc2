// History: an event that was over for longer than it may be late counts as history; one that had to last is as new as its last reading.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHistory } from '../../../src/correlation/window/history.ts';
import { event } from '../fixtures.ts';

const LATENESS_MS = 30_000;
const heard = (seconds: number, attributes: Record<string, string | number> = {}) => {
  const one = event(0, 'gpu.lost', 'gpu/0000:1b:00.0', { trust: 'kernel', source: 'kernel-log' });
  return {
    ...one,
    observedMs: one.interval.latestMs + seconds * 1000,
    attributes: { ...one.attributes, ...attributes },
  };
};

test('it is history once it was over for longer than the lateness', () => {
  assert.equal(isHistory(heard(30), LATENESS_MS), false);
  assert.equal(isHistory(heard(31), LATENESS_MS), true);
});

test('what a detector waited for does not count, and what an event alone says of that does', () => {
  assert.equal(isHistory(heard(300, { lasted_ms: 290_000, detector: 'level' }), LATENESS_MS), false);
  assert.equal(isHistory(heard(300, { lasted_ms: 290_000 }), LATENESS_MS), true);
  assert.equal(isHistory(heard(300, { lasted_ms: 100_000, detector: 'level' }), LATENESS_MS), true);
});
