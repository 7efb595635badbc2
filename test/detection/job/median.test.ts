import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median } from '../../../src/detection/job/median.ts';

test('the one in the middle by size, the upper of two, 0 of none; the list stays as it was', () => {
  const values = [10, 9, 2];
  assert.equal(median(values), 9);
  assert.deepEqual(values, [10, 9, 2]);
  assert.equal(median([100, 20, 3, 1]), 20);
  assert.equal(median([]), 0);
});
