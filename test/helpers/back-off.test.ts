// Back-off: doubles from the first pause to the longest, and stays there however often it fails.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOffMs } from '../../src/helpers/back-off.ts';

test('doubles up to the longest pause', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((doublings) => backOffMs(1_000, doublings, 10_000)),
    [1_000, 2_000, 4_000, 8_000, 10_000, 10_000],
  );
});

test('never less than the first pause, never without end', () => {
  assert.equal(backOffMs(1_000, -3, 10_000), 1_000);
  assert.equal(backOffMs(1_000, 5_000, 10_000), 10_000);
});
