// Times of PowerTrace's files, to the microsecond and with their zone; anything else is refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventOf } from '../../../src/commands/correlate/fields.ts';

const EVENT = { id: 'e', source: 'ups', type: 'ups_transfer', severity: 'low', device_id: 'ups', raw_message: 'x' };
const atOf = (timestamp: string): number => eventOf({ ...EVENT, timestamp }).at;

test('a time is read with its zone and its microseconds', () => {
  const times = ['2024-01-15T14:32:01Z', '2024-01-15 14:32:01.250Z', '2024-01-15T20:02:01,25+05:30', '2024-01-15T14:32Z', '2024-01-15T09:02:01.000001-0530', '2024-02-29T23:59:59.999999Z', '2023-12-31T23:30:00-01:00', '1969-12-31T23:59:59.5Z']; // biome-ignore format: one list
  const expected = times.map((time) => Date.parse(time.replace(' ', 'T').replace(',', '.').replace('-0530', '-05:30').replace('T14:32Z', 'T14:32:00Z')) / 1000); // biome-ignore format: one line
  for (const [index, time] of times.entries())
    assert.ok(Math.abs(atOf(time) - (expected[index] ?? 0)) < 0.001, `${time}: ${atOf(time)}`);
  assert.equal(atOf('2024-01-15T09:02:01.000001-0530'), 1_705_329_121.000001);
});

test('anything that is not a time is refused, however near it comes', () => {
  for (const time of ['2024-01-15T14:32:01', '2023-02-29T00:00:00Z', '2024-04-31T10:00:00Z', '2024-13-01T10:00:00Z', '2024-01-15T24:00:00Z', '2024-01-15T14:60:00Z', '2024-01-15T14:32:60Z', '2024-01-15', '1705329121', '', '2024-01-15T14:32:01Z\n', '2024-1-15T14:32:01Z']) // biome-ignore format: one list
    assert.throws(() => atOf(time), /timestamp is .*, ISO 8601 with a zone is wanted/, time);
  // The day before was not one, and must not decide for this one.
  assert.throws(() => atOf('2023-02-29T00:00:00Z'));
  assert.equal(atOf('2023-02-28T00:00:00Z'), 1_677_542_400);
});
