// The event document: reads back as written, keeps its source's digits, and survives hostile fields.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eventFromDocument, eventToDocument } from '../../../src/model/documents/event.ts';
import { event, SAG, T0 } from '../../incidents/sample.ts';
import { anyEvent, throughJson } from './arbitrary.ts';

test('an event reads back from its document as it was', () => {
  fc.assert(
    fc.property(anyEvent, (original) => {
      const read = eventFromDocument(throughJson(eventToDocument(original, 'node-3')));
      assert.deepEqual(read, original);
    }),
  );
});

test('times finer than the document keeps settle after one writing', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 4e12, noNaN: true }), fc.integer({ min: 0, max: 9 }), (timeMs, timeDigits) => {
      const interval = { earliestMs: timeMs - 0.25, latestMs: timeMs + 1 / 3 };
      const once = eventToDocument(event('e', 'gpu.lost', null, { timeMs, timeDigits, interval }), 'h');
      const read = eventFromDocument(once);
      assert.ok(read !== null);
      assert.deepEqual(eventToDocument(read, 'h'), once);
    }),
  );
});

test('a time keeps the digits its source had', () => {
  const times = [0, 1, 3, 6].map(
    (timeDigits) => eventToDocument(event('e', 'gpu.lost', null, { timeDigits }), 'h').time,
  );
  assert.deepEqual(times, [
    '2026-11-27T14:32:00Z',
    '2026-11-27T14:32:00.0Z',
    '2026-11-27T14:32:00.000Z',
    '2026-11-27T14:32:00.000000Z',
  ]);
});

test('an attribute called __proto__ stays an attribute', () => {
  const document = throughJson(eventToDocument(SAG, 'h'));
  const poisoned = JSON.parse(JSON.stringify(document).replace('"limit"', '"__proto__"'));
  const read = eventFromDocument(poisoned);
  assert.ok(read !== null);
  assert.equal(Object.getPrototypeOf(read.attributes), Object.prototype);
  assert.ok(Object.hasOwn(read.attributes, '__proto__'));
});

test('times that RFC 3339 cannot write are held at its border', () => {
  for (const timeMs of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, -1]) {
    const document = eventToDocument(event('e', 'gpu.lost', null, { timeMs, observedMs: T0 }), 'h');
    assert.ok(eventFromDocument(document) !== null, document.time);
  }
});
