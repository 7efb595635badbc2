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

test('one that is put to an earlier time comes out then, as if it were entered last', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat({ max: 50 }), fc.nat({ max: 50 }), fc.boolean())), (times) => {
      const deadlines = new Deadlines<number>();
      const waiting = times.map(([at], i) => deadlines.add(at, i));
      const expected = times.map(([at], i) => [at, i, i] as const);
      times.forEach(([at, earlier, moves], i) => {
        const one = waiting[i];
        if (!moves || earlier >= at || one === undefined) return;
        deadlines.hasten(one, earlier);
        expected[i] = [earlier, i, times.length + i];
      });
      const out: number[] = [];
      for (let due = deadlines.take(100); due !== null; due = deadlines.take(100)) out.push(due.item);
      assert.deepEqual(
        out,
        expected.toSorted((a, b) => a[0] - b[0] || a[2] - b[2]).map(([, item]) => item),
      );
    }),
  );
});

test('one that was taken waits no more', () => {
  const deadlines = new Deadlines<string>();
  const one = deadlines.add(10, 'a');
  deadlines.take(10);
  assert.throws(() => deadlines.hasten(one, 5), /was taken/);
  const other = deadlines.add(10, 'b');
  assert.throws(() => deadlines.hasten(other, 10), /not earlier/);
});
