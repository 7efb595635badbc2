// What takes ten minutes: a session of SNMPv3 with net-snmp's own daemon, whose clock runs on meanwhile.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { rawNumber } from '../../../src/sources/pdu/decode.ts';
import { SnmpSession } from '../../../src/sources/pdu/session.ts';
import { Snmpd, skip } from '../../conformance/snmpd.ts';
import { pduConfig, USER } from './support.ts';

const MINUTES = 10.5;
const UPTIME = '1.3.6.1.2.1.1.3.0';

test('a v3 session is alive after ten minutes, asked often or seldom, and no answer is lost on the way', {
  skip,
}, async (t) => {
  const agent = await Snmpd.start();
  t.after(() => agent.close());
  const config = pduConfig(agent.port, { version: '3', user: USER, timeoutMs: 5000 });
  const sessions = [2_000, 60_000, 240_000].map((everyMs) => ({ everyMs, session: new SnmpSession(config, Date.now) }));
  t.after(() => {
    for (const { session } of sessions) session.close();
  });
  const startedMs = performance.now();
  const endMs = startedMs + MINUTES * 60_000;
  const counts = await Promise.all(
    sessions.map(async ({ everyMs, session }) => {
      let answers = 0;
      for (let dueMs = startedMs; dueMs < endMs; dueMs += everyMs) {
        await sleep(Math.max(0, dueMs - performance.now()));
        // There is no second try: the first time window that is missed is an error here.
        assert.ok((rawNumber((await session.get([UPTIME])).values[0]?.value) ?? 0) > 0);
        answers += 1;
      }
      return answers;
    }),
  );
  assert.deepEqual(counts, [315, 11, 3]);
});
