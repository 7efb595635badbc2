// Time: as text, with the digits that the source had.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatTime, parseTime } from '../../src/model/time.ts';

/** Year 9999: the last that RFC 3339 can write. */
const LAST_MS = 253_402_300_799_000;

test('whole milliseconds are written as Date writes them, before and after the epoch, day after day', () => {
  fc.assert(
    fc.property(fc.integer({ min: -LAST_MS / 5, max: LAST_MS }), (ms) => {
      assert.equal(formatTime(ms), new Date(ms).toISOString());
    }),
  );
});

test('a time that is written can be read again, with as many digits', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: LAST_MS }), fc.nat({ max: 9 }), (ms, digits) => {
      const read = parseTime(formatTime(ms, digits));
      assert.equal(read?.digits, digits);
      assert.ok(Math.abs((read?.epochMs ?? 0) - ms) <= 500);
    }),
  );
});

test('a fraction that rounds up carries over into the next second, minute and day', () => {
  assert.equal(formatTime(Date.UTC(2026, 11, 31, 23, 59, 59, 999.6)), '2026-12-31T23:59:59.999Z');
  assert.equal(formatTime(Date.UTC(2026, 11, 31, 23, 59, 59) + 999.6), '2027-01-01T00:00:00.000Z');
  assert.equal(formatTime(Date.UTC(2026, 11, 31, 23, 59, 59) + 600, 0), '2027-01-01T00:00:00Z');
});

test('the form that our documents have is read as every other one of the same time, and nothing else is taken for it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: LAST_MS }), (ms) => {
      const own = formatTime(ms, 3);
      assert.deepEqual(parseTime(own), { epochMs: ms, digits: 3 });
      assert.equal(parseTime(own.replace('Z', '+00:00'))?.epochMs, ms);
    }),
  );
  for (const text of [
    '2026-13-01T00:00:00.000Z',
    '2026-01-01T25:00:00.000Z',
    '2026-01-01T00:00:00.0x0Z',
    '2026-01-01T00:00:00,000Z',
  ])
    assert.equal(parseTime(text), null, text);
});

test('what is not a valid time is refused', () => {
  assert.throws(() => formatTime(Number.NaN), RangeError);
  assert.throws(() => formatTime(9e15), RangeError);
});
