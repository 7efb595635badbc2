// How far apart looks are: their share of a core holds over time, and what is dear once delays nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace } from '../../../src/sources/processes/pace.ts';

/** Share of a core over an hour of looks that take this, by the number of the look; and the longest wait. */
function hour(costMs: (look: number) => number): { share: number; waits: number[] } {
  const pace = new Pace(2000);
  const waits: number[] = [];
  let nowMs = 5000;
  let spentMs = 0;
  for (let look = 0; nowMs < 3_600_000; look += 1) {
    const tookMs = costMs(look);
    spentMs += tookMs;
    const waitMs = pace.after(tookMs, nowMs);
    waits.push(waitMs);
    nowMs += waitMs;
  }
  return { share: spentMs / nowMs, waits };
}

test('cheap looks are as close as is asked', () => {
  const { share, waits } = hour(() => 3);
  assert.ok(waits.every((wait) => wait === 2000));
  assert.ok(share < 0.003, `${share}`);
});

test('a first look and a start of a job that are dear delay nothing', () => {
  const { waits } = hour((look) => (look < 2 ? 150 : look % 300 === 0 ? 200 : 2));
  assert.ok(waits.every((wait) => wait === 2000));
});

test('looks that are all dear are further apart, at their share', () => {
  const { share, waits } = hour(() => 20);
  assert.ok(share < 0.0032, `${share}`);
  assert.ok(Math.max(...waits) <= 7000);
});

test('however dear, work is seen within fifteen seconds; a longer interval holds', () => {
  assert.equal(Math.max(...hour(() => 500).waits), 15_000);
  assert.equal(new Pace(60_000).after(1, 0), 60_000);
});

test('a clock that goes back saves nothing and owes nothing', () => {
  const pace = new Pace(2000);
  pace.after(10, 1e6);
  assert.equal(pace.after(10, 0), 2000);
});
