import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localTimes } from '../../../../src/sinks/notify/decide/local-time.ts';

const DAY_MS = 86_400_000;

test('UTC without ICU is UTC by ICU, at the ends of days, months and years', () => {
  const [own, byTables] = [localTimes('UTC'), localTimes('Etc/UTC')];
  const midnights = ['2024-02-29', '2026-01-01', '2026-11-30', '2100-03-01'].map((day) => Date.parse(day));
  for (const midnight of midnights)
    for (const ms of [-60_000, -1, 0, 59_999, 60_000, DAY_MS - 1].map((offset) => midnight + offset))
      assert.deepEqual(own(ms), byTables(ms), String(ms));
  assert.deepEqual(own(Date.parse('2026-11-29T23:59:59Z')), { day: '2026-11-29', minute: 1439 });
});

test('another zone has its own day', () => {
  const at = localTimes('Asia/Tokyo')(Date.parse('2026-11-29T23:30:00Z'));
  assert.deepEqual(at, { day: '2026-11-30', minute: 510 });
});
