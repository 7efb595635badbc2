// Place marks: as many places as there are texts, and none is kept that nothing names.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNew, newCount, PlaceMarks } from '../../../src/correlation/window/place-marks.ts';

test('a place counts once in each count, however many name it', () => {
  const marks = new PlaceMarks();
  const [a, b, again] = ['gpu/1', 'gpu/2', 'gpu/1'].map((text) => marks.take(text));
  assert.ok(a !== undefined && b !== undefined && again === a);
  for (let i = 0; i < 2; i += 1) {
    const count = newCount();
    assert.deepEqual([isNew(a, count), isNew(b, count), isNew(again, count)], [true, true, false]);
  }
});

test('a mark lasts as long as anything names its place', () => {
  const marks = new PlaceMarks();
  const first = marks.take('gpu/1');
  assert.equal(marks.take('gpu/1'), first);
  marks.give('gpu/1');
  assert.equal(marks.take('gpu/1'), first);
  for (let i = 0; i < 2; i += 1) marks.give('gpu/1');
  assert.notEqual(marks.take('gpu/1'), first);
});
