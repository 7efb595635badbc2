// Deadlines come out in order of time, equal ones in order of entry, and none before it is due.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Deadlines } from '../../../src/correlation/window/deadlines.ts';

test('all deadlines come out sorted, and stable', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 })), (times) => {
      const deadlines = new Deadlines<number>();
      times.forEach((at, i) => void deadlines.add(at, i));
      const out: (readonly [number, number])[] = [];
      for (let due = deadlines.take(100); due !== null; due = deadlines.take(100)) out.push([due.atMs, due.item]);
      const expected = times.map((at, i) => [at, i] as const).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      assert.deepEqual(out, expected);
      assert.equal(deadlines.nextMs, Number.POSITIVE_INFINITY);
    }),
  );
});

test('nothing is taken before its time', () => {
  const deadlines = new Deadlines<string>();
  deadlines.add(10, 'a');
  assert.equal(deadlines.take(9), null);
  assert.equal(deadlines.take(10)?.item, 'a');
});
