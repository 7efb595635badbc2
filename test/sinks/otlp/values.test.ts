// Times, texts and ids on their way into requests.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isSampled, spanIdOf } from '../../../src/model/trace.ts';
import { hrTime, short } from '../../../src/sinks/otlp/values.ts';

test('a time keeps what a float64 holds of it, and is always one that can be written', () => {
  assert.deepEqual(hrTime(1_700_000_000_123.456), [1_700_000_000, 123_456_055]);
  assert.deepEqual(hrTime(999.9999999), [1, 0]);
  assert.deepEqual(
    [hrTime(Number.NaN), hrTime(-5)],
    [
      [0, 0],
      [0, 0],
    ],
  );
  fc.assert(
    fc.property(fc.double(), (ms) => {
      const [seconds, nanos] = hrTime(ms);
      assert.ok(Number.isInteger(seconds) && Number.isInteger(nanos) && nanos >= 0 && nanos < 1e9);
    }),
  );
});

test('a text is cut whole and well formed', () => {
  assert.equal(short('abc', 3), 'abc');
  assert.equal(short('abcd', 3), 'ab…');
  assert.equal(short('a\ud83d\ude00b', 3), 'a\ufffd…');
  assert.equal(short('\ud83d'), '\ufffd');
});

test('ids of spans follow from the incident, are 16 hex digits and differ', () => {
  const ids = ['', 'e1', 'e2'].map((part) => spanIdOf('0123456789ab', part));
  assert.equal(new Set(ids).size, 3);
  for (const id of ids) assert.match(id, /^[0-9a-f]{16}$/);
  assert.equal(spanIdOf('0123456789ab', 'e1'), ids[1]);
});

test('a share of traces is about that share, and a larger share holds the smaller one', () => {
  const traces = Array.from(
    { length: 2000 },
    (_, index) => spanIdOf('x', String(index)) + spanIdOf('y', String(index)),
  );
  const kept = (ratio: number) => traces.filter((id) => isSampled(id, ratio));
  assert.equal(kept(1).length, 2000);
  assert.equal(kept(0).length, 0);
  const quarter = kept(0.25);
  assert.ok(quarter.length > 420 && quarter.length < 580);
  assert.ok(quarter.every((id) => isSampled(id, 0.5)));
});
