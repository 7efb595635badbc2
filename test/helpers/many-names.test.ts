// Many names: what takes long to parse is seen before it is parsed, and what loggers and trackers write is not taken for it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasManyNames } from '../../src/helpers/many-names.ts';
import { readRecords } from '../../src/sources/logs-in/read-records.ts';

const distinct = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`name_of_a_metric_${i}`, 0])));

test('a body of a hundred thousand names is not parsed; one of many records with the same names is', () => {
  assert.ok(hasManyNames(distinct(100_000)));
  assert.match(String(readRecords(distinct(100_000))), /different names/);
  const record = { log: 'x":y'.repeat(30), time: '2026-11-29T12:00:00Z', kubernetes: { pod: 'a', namespace: 'b' } };
  const records = Array.from({ length: 9000 }, () => record);
  assert.ok(!hasManyNames(JSON.stringify(records)));
  assert.equal(readRecords(JSON.stringify(records)).length, 9000);
});

test('however names are written, they are counted', () => {
  const names = Array.from({ length: 30_000 }, (_, i) => `name_${i}`);
  const body = (name: (text: string) => string, colon = ':') =>
    `{${names.map((each) => `"${name(each)}"${colon}0`).join(',')}}`;
  for (const colon of [' :', '\t :', '\n:', '\r\n :'])
    assert.ok(hasManyNames(body((each) => each, colon)), JSON.stringify(colon));
  const long = 'x'.repeat(140);
  assert.ok(hasManyNames(body((each) => long + each)), 'alike at their beginning');
  assert.ok(hasManyNames(body((each) => `${each}\\"a`)), 'alike behind a mark that is escaped');
  assert.ok(hasManyNames(body((each) => `${each}\\\\`)), 'with a backslash at the end');
  assert.ok(hasManyNames(`{"a\n${body((each) => each)}`), 'below a line that is none');
  for (const valid of [body((each) => each, ' :'), body((each) => `${each}\\"a`)]) assert.ok(Object.keys(JSON.parse(valid) as object).length === 30_000); // biome-ignore format: one line
  // Texts that only look like names, in values.
  assert.ok(!hasManyNames(JSON.stringify({ text: names.map((each) => `"${each}": 1`) })));
  assert.ok(!hasManyNames(JSON.stringify(names.map((each) => `${each}\\`))));
});

test('a row of a tracker with some thousand metrics is none of it, however long it is', () => {
  assert.ok(!hasManyNames(distinct(8000)));
  assert.ok(!hasManyNames(JSON.stringify({ text: '":'.repeat(400_000) })));
});
