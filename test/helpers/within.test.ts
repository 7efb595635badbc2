// A deadline: what is done in time counts, what is late is left, and its failure harms no one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { within } from '../../src/helpers/within.ts';

test('work that is done in time', async () => {
  assert.equal(await within(60_000, Promise.resolve('done')), true);
});

test('work that never ends is left at the limit', async () => {
  assert.equal(await within(5, new Promise(() => {})), false);
});

test('a failure in time is the caller’s, one after the limit is not heard', async () => {
  await assert.rejects(within(60_000, Promise.reject(new Error('why'))), /why/);
  const late = pause(20).then(() => {
    throw new Error('late');
  });
  assert.equal(await within(1, late), false);
  await assert.rejects(late, /late/);
});
