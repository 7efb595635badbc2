// When: a list's day and clock are those of its reports.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clockText, dayClockText, dayText, minuteText } from '../../../src/incidents/report/when.ts';

const ZONES = ['UTC', 'Asia/Tokyo', 'America/New_York', 'Asia/Kathmandu', 'Africa/Monrovia'];

test('day and clock at once are those that each has by itself, wherever and whenever', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 3e14 }), fc.constantFrom(...ZONES), (ms, zone) => {
      assert.equal(dayClockText(ms, zone), `${dayText(ms, zone)} ${clockText(ms, zone)}`);
    }),
  );
  assert.equal(dayClockText(Date.UTC(2026, 10, 27, 14, 32), 'UTC'), '2026-11-27 14:32:00');
  assert.equal(dayClockText(Number.NaN, 'UTC'), '1970-01-01 00:00:00');
});

test('UTC, which is written without a look at the zones, is what a zone of the same time has', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 3e14 }), (ms) => {
      const at = (zone: string) => [dayText(ms, zone), clockText(ms, zone), clockText(ms, zone, true), minuteText(ms, zone), dayClockText(ms, zone)]; // biome-ignore format: one line
      assert.deepEqual(at('UTC'), at('Etc/GMT'));
    }),
  );
});
