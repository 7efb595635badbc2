// Notices that fit no row of the table: an error in the log, at most one a minute and name, with how many there were.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RefusedNotices } from '../../src/daemon/refused-notices.ts';
import { type Notice, parseNotice } from '../../src/model/native-notice.ts';

function malformed(type: string, timeMs: number): Notice {
  return parseNotice({ type, timeMs, component: '', name: '', text: 'no details', value: 0 });
}

test('the first is logged with its code and reason, the next within a minute counted', () => {
  const lines: [object, string][] = [];
  const refused = new RefusedNotices((fields, text) => lines.push([fields, text]));
  refused.take([malformed('device', 1_000), malformed('device', 1_001), malformed('queue_overflow', 1_002)]);
  refused.take([malformed('unheard_of', 2_000), malformed('device', 61_500)]);
  assert.deepEqual(
    lines.map(([fields]) => fields),
    [
      { code: 'FL2003', notice: 'device', count: 1 },
      { code: 'FL2003', notice: 'unheard_of', count: 1 },
      { code: 'FL2003', notice: 'device', count: 2 },
    ],
  );
  assert.match(lines[0]?.[1] ?? '', /^FL2003 notice device was refused: .*its component is missing/);
});

test('names without end are counted together', () => {
  const lines: object[] = [];
  const refused = new RefusedNotices((fields) => lines.push(fields));
  refused.take(Array.from({ length: 1_000 }, (_, i) => malformed(`made-up-${i}`, 5)));
  assert.equal(lines.length, 65);
});
