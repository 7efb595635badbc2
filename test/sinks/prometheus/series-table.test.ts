// The series table: what is fresh, what went away, and how much fits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeriesTable } from '../../../src/sinks/prometheus/series-table.ts';
import type { SeriesAggregate } from '../../../src/sinks/sink.ts';

const START = 1_700_000_000_000;

function table(maxSeries = 100) {
  return new SeriesTable<string>({
    maxSeries,
    rowOf: (key) => (key.startsWith('?') ? null : key),
    wantsRange: () => true,
  });
}

function sample(key: string, timeMs: number, value: number, more: Partial<SeriesAggregate> = {}): SeriesAggregate {
  return { key, count: 1, min: value, max: value, mean: value, last: value, lastTimeMs: timeMs, ...more };
}

const keysAt = (t: SeriesTable<string>, nowMs: number) => [...t.snapshots(nowMs)].map(({ key }) => key);

test('a series that is read twice a second is gone five seconds after its last sample', () => {
  const t = table();
  for (let s = 0; s <= 10; s += 1) t.update([sample('gpu', START + s * 1000, s, { count: 2 })], START + s * 1000);
  assert.deepEqual(keysAt(t, START + 15_000), ['gpu']);
  assert.deepEqual(keysAt(t, START + 15_001), []);
});

test('a series that is read every thirty seconds lives for three of its intervals', () => {
  const t = table();
  for (let i = 0; i <= 3; i += 1) t.update([sample('slow', START + i * 30_000, i)], START + i * 30_000);
  assert.deepEqual(keysAt(t, START + 90_000 + 90_000), ['slow']);
  assert.deepEqual(keysAt(t, START + 90_000 + 90_001), []);
});

test('what came once waits for its second sample for five minutes', () => {
  const t = table();
  t.update([sample('once', START, 1)], START);
  assert.deepEqual(keysAt(t, START + 300_000), ['once']);
  assert.deepEqual(keysAt(t, START + 300_001), []);
});

test('what came twice within its first second and never again is gone in a quarter of a minute', () => {
  const t = table();
  t.update([sample('gpu', START, 1, { count: 2 })], START);
  assert.deepEqual(keysAt(t, START + 15_000), ['gpu']);
  assert.deepEqual(keysAt(t, START + 15_001), []);
});

test('a burst of samples does not make the usual interval look late', () => {
  const t = table();
  for (let i = 0; i <= 3; i += 1) t.update([sample('slow', START + i * 30_000, i)], START + i * 30_000);
  t.update([sample('slow', START + 91_000, 9)], START + 91_000);
  assert.deepEqual(keysAt(t, START + 91_000 + 60_000), ['slow']);
});

test('a series that comes back is shown again, with its new value', () => {
  const t = table();
  t.update([sample('gpu', START, 1), sample('other', START, 1)], START);
  t.update([sample('gpu', START + 1000, 2)], START + 1000);
  t.update([], START + 400_000);
  assert.equal(t.size, 0, 'stale series are let go of');
  t.update([sample('gpu', START + 401_000, 7)], START + 401_000);
  assert.deepEqual(
    [...t.snapshots(START + 401_000)].map(({ last }) => last),
    [7],
  );
});

test('more series than fit are counted, and get their place when others are gone', () => {
  const t = table(2);
  const all = ['a', 'b', 'c', 'd'];
  for (let s = 0; s < 3; s += 1)
    t.update(
      all.map((key) => sample(key, START + s * 1000, 1)),
      START + s * 1000,
    );
  assert.deepEqual(keysAt(t, START + 2000), ['a', 'b']);
  assert.equal(t.leftOut, 2);
  t.update([sample('c', START + 60_000, 3)], START + 60_000);
  assert.deepEqual(keysAt(t, START + 60_000), ['c']);
  assert.equal(t.leftOut, 0);
});

test('what the metric table does not know takes no place', () => {
  const t = table(1);
  t.update([sample('?', START, 1), sample('a', START, 1)], START);
  assert.deepEqual(keysAt(t, START), ['a']);
});

test('a sample older than the last one, or without a time, changes nothing', () => {
  const t = table();
  t.update([sample('a', START, 1)], START);
  t.update([sample('a', START - 1, 2)], START);
  t.update([sample('a', Number.NaN, 3)], START);
  assert.deepEqual(
    [...t.snapshots(START)].map(({ last }) => last),
    [1],
  );
});

test('the range of the last minute covers what happened between two scrapes, and forgets', () => {
  const t = table();
  t.update([sample('a', START, 5, { min: 1, max: 9 })], START);
  t.update([sample('a', START + 30_000, 5)], START + 30_000);
  const at = (nowMs: number) => [...t.snapshots(nowMs)].map(({ range }) => range);
  assert.deepEqual(at(START + 30_000), [{ min: 1, max: 9 }]);
  t.update([sample('a', START + 70_000, 5)], START + 70_000);
  assert.deepEqual(at(START + 70_000), [{ min: 5, max: 5 }]);
});
