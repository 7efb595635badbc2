import assert from 'node:assert/strict';
import test from 'node:test';
// @ts-expect-error: benchmarks are plain modules without types
import * as statistics from '../../bench/lib/statistics.mjs';

const { blocksOf, exponentOf, median, medianWithin, ratioWithin, slopeOf } = statistics;

test('the median of an even number of values is between the two in the middle', () => {
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([5, 1, 3]), 3);
});

test('the interval of a median is by ranks, and one far value does not move it', () => {
  const values = Array.from({ length: 100 }, (_, i) => i);
  assert.deepEqual(medianWithin(values), { median: 49.5, low: 40, high: 59 });
  assert.deepEqual(medianWithin([...values.slice(0, 99), 1e9]), { median: 49.5, low: 40, high: 59 });
});

test('a slope has no width through points on a line, and the tabled one through points that scatter', () => {
  assert.deepEqual(slopeOf([[0, 1], [1, 3], [2, 5]]), { slope: 2, within: 0 }); // biome-ignore format: points
  const { slope, within } = slopeOf([[1, 2.1], [2, 3.9], [3, 6.2], [4, 7.8], [5, 10.1]]); // biome-ignore format: points
  assert.ok(Math.abs(slope - 1.99) < 1e-9);
  // Standard error 0.0624, Student's t at three degrees of freedom 3.182.
  assert.ok(Math.abs(within - 0.19) < 0.01, String(within));
});

test('an exponent is that of the power law which the points follow', () => {
  const { slope, within } = exponentOf([1, 2, 4, 8].map((x) => [x, 7 * x ** 1.5]));
  assert.ok(Math.abs(slope - 1.5) < 1e-9);
  assert.ok(within < 1e-6);
});

test('blocks are medians of neighbours, and a rest that fills none is left out', () => {
  const points = [[0, 1], [1, 9], [2, 2], [3, 4], [4, 4], [5, 4], [6, 100]]; // biome-ignore format: points
  assert.deepEqual(blocksOf(points, 3), [[1, 2], [4, 4]]); // biome-ignore format: points
});

test('a ratio of means counts what is rare and dear, and its interval has it or not by the draw', () => {
  const same = Array.from({ length: 50 }, () => [2, 1]);
  assert.deepEqual(ratioWithin(same), { ratio: 2, low: 2, high: 2 });
  const rare = ratioWithin([...Array.from({ length: 99 }, () => [1, 1]), [101, 1]]);
  assert.equal(rare.ratio, 2);
  assert.equal(rare.low, 1);
  assert.ok(rare.high > 2 && rare.high < 10, String(rare.high));
});
