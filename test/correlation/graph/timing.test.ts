// Timing: probability of order on intervals, and the bounds of a row.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CAUSE_ROWS, type CauseRow } from '../../../src/correlation/graph/cause-graph.ts';
import { probabilityBefore, timing } from '../../../src/correlation/graph/timing.ts';

const at = (earliestMs: number, latestMs = earliestMs) => ({ earliestMs, latestMs });
const interval = fc
  .tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 500 }))
  .map(([a, w]) => at(a, a + w));

test('probability of order: known values', () => {
  assert.equal(probabilityBefore(at(0), at(1)), 1);
  assert.equal(probabilityBefore(at(2), at(1)), 0);
  assert.equal(probabilityBefore(at(0, 10), at(0, 10)), 0.5);
  assert.equal(probabilityBefore(at(0, 10), at(4)), 0.4);
  assert.equal(probabilityBefore(at(4), at(0, 10)), 0.6);
  assert.equal(probabilityBefore(at(0, 10), at(5, 15)), 0.875);
});

test('probability of order: one of the two came first', () => {
  fc.assert(
    fc.property(interval, interval, (a, b) => {
      const sum = probabilityBefore(a, b) + probabilityBefore(b, a);
      const same = a.earliestMs === b.latestMs || b.earliestMs === a.latestMs; // then "together" counts for both
      assert.ok(Math.abs(sum - 1) < 1e-9 || (same && sum >= 1), `${sum}`);
    }),
  );
});

const [any] = CAUSE_ROWS;
assert.ok(any);
const row: CauseRow = { ...any, lagMinMs: 0, lagMaxMs: 1000, causeLateMs: 200, effectLateMs: 300, whileActive: false };

test('an effect is admitted within lag and detection delays, and not beyond', () => {
  assert.ok(timing(row, at(0), 0, at(1300)));
  assert.equal(timing(row, at(0), 0, at(1301)), null);
  assert.ok(timing(row, at(0), 0, at(-200)));
  assert.equal(timing(row, at(0), 0, at(-201)), null);
});

test('while the cause lasts its effect may begin at any time', () => {
  const lasting = { ...row, whileActive: true };
  assert.ok(timing(lasting, at(0), null, at(1e9)));
  assert.ok(timing(lasting, at(0), 5000, at(6300)));
  assert.equal(timing(lasting, at(0), 5000, at(6301)), null);
});

test('where each occurrence counts, the lag is that from the last one before the effect', () => {
  const each = { ...row, eachTime: true };
  assert.ok(timing(each, at(0), 9000, at(10_000), 9000));
  assert.equal(timing(each, at(0), 8000, at(10_000), 8000), null);
  assert.equal(timing(row, at(0), 9000, at(10_000), 9000), null, 'only where the row says so');
  assert.equal(timing(each, at(0), null, at(10_000), 99_000)?.lagMs, 0, 'one that comes after the effect still lasts');
});

test('overlapping intervals: order unknown, and worth less than a clear one', () => {
  const clear = timing(row, at(0), 0, at(10));
  const blurred = timing(row, at(0, 20), 20, at(10, 30));
  assert.deepEqual([clear?.orderUnknown, blurred?.orderUnknown], [false, true]);
  assert.ok((clear?.factor ?? 0) > (blurred?.factor ?? 1));
});
