// Tests of seeded randomness.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jitter, pickOne, randomStream } from '../../src/simulator/random.ts';

const take = (count: number, seed: number, name: string) => {
  const random = randomStream(seed, name);
  return Array.from({ length: count }, random);
};

test('the same seed and name give the same numbers', () => {
  assert.deepEqual(take(20, 7, 'gpu'), take(20, 7, 'gpu'));
});

test('another seed or name gives other numbers', () => {
  assert.notDeepEqual(take(20, 7, 'gpu'), take(20, 8, 'gpu'));
  assert.notDeepEqual(take(20, 7, 'gpu'), take(20, 7, 'cpu'));
});

test('first draws of the first few seeds are spread out', () => {
  for (const name of ['vary phase', 'vary pdu', 'at sag']) {
    const draws = Array.from({ length: 32 }, (_, seed) => randomStream(seed, name)());
    const low = draws.filter((draw) => draw < 0.5).length;
    assert.ok(low >= 8 && low <= 24, `${name}: ${low} of 32 in the lower half`);
    assert.ok(new Set(draws.map((draw) => Math.floor(10 * draw))).size >= 8, name);
  }
});

test('numbers stay within [0, 1) and have a mean near one half', () => {
  const numbers = take(10_000, 1, 'mean');
  assert.ok(numbers.every((number) => number >= 0 && number < 1));
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  assert.ok(Math.abs(mean - 0.5) < 0.02, `mean ${mean}`);
});

test('jitter stays within its share, and no share leaves the value alone', () => {
  const random = randomStream(1, 'jitter');
  for (let i = 0; i < 1000; i += 1) assert.ok(Math.abs(jitter(random, 100, 0.05) - 100) <= 5);
  assert.equal(jitter(random, 100, 0), 100);
});

test('nothing is picked from an empty list', () => {
  assert.equal(pickOne(randomStream(1, 'empty'), []), undefined);
});
