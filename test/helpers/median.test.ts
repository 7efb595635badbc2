// Medians and quantiles of a few values.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, quantile, upperMedian } from '../../src/helpers/median.ts';

test('of an odd number both medians are the middle one, in whatever order they come', () => {
  assert.deepEqual([median([9, 1, 5]), upperMedian([9, 1, 5])], [5, 5]);
});

test('of an even number one is the mean of the middle, the other the upper of the two', () => {
  assert.deepEqual([median([4, 1, 2, 10]), upperMedian([4, 1, 2, 10])], [3, 4]);
  assert.equal(upperMedian(Float64Array.of(10, 2)), 10);
});

test('of nothing there is none, and numbers are ordered as numbers', () => {
  assert.deepEqual([median([]), upperMedian([]), quantile([], 0.9)], [null, null, null]);
  assert.deepEqual([quantile([100, 20, 3], 0), quantile([100, 20, 3], 0.95), quantile([100, 20, 3], 1)], [3, 100, 100]);
});
