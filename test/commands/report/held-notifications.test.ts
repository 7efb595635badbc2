// What people were not sent, in the report of a period: counted by reason, within the time that is asked for.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countHeld } from '../../../src/commands/report/held-notifications.ts';

test('held notifications of the time are counted by reason, and nothing else is', () => {
  const one = (state: string, at: string, detail: string | null) => ({ state, at, detail });
  const notifications = [
    one('held', '2026-11-27T10:00:00Z', 'silence 3f2a: rack works'),
    one('held', '2026-11-27T11:00:00Z', 'silence 3f2a: rack works'),
    one('held', '2026-11-27T11:00:00Z', null),
    one('held', '2026-11-01T11:00:00Z', 'quiet hours'),
    one('sent', '2026-11-27T11:00:00Z', null),
  ];
  const counts = countHeld({ notifications }, Date.UTC(2026, 10, 20));
  assert.deepEqual([...counts], [['silence 3f2a: rack works', 2], ['no reason is kept', 1]]); // biome-ignore format: one answer
  assert.deepEqual([...countHeld(null, 0)], []);
});
