// Recent values: median and spread as those of a list that is sorted each time, whatever comes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { upperMedian } from '../../src/helpers/median.ts';
import { RecentValues } from '../../src/helpers/recent-values.ts';

test('nothing is usual of none', () => {
  const values = new RecentValues(4);
  assert.deepEqual([values.size, values.median, values.differenceFrom(3)], [0, 0, 0]);
});

test('median and differences are those of the last values sorted', () => {
  const most = 7;
  const values = new RecentValues(most);
  const kept: number[] = [];
  let state = 11;
  for (let i = 0; i < 3000; i += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // Few enough that many are alike, of both signs.
    const value = (((state >>> 8) % 21) - 10) / 4;
    values.add(value);
    kept.push(value);
    if (kept.length > most) kept.shift();
    const median = upperMedian(kept) ?? 0;
    assert.equal(values.size, kept.length);
    assert.equal(values.median, median);
    for (const middle of [median, value + 0.125, -100, 100])
      assert.equal(values.differenceFrom(middle), upperMedian(kept.map((each) => Math.abs(each - middle))));
  }
});
