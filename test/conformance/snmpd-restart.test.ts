// A real engine of SNMPv3 that starts again, remembering how often it did or not; and counters of a real agent that run over.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { rawNumber } from '../../src/sources/pdu/decode.ts';
import { PduSource } from '../../src/sources/pdu/pdu-source.ts';
import { SnmpSession } from '../../src/sources/pdu/session.ts';
import { pduConfig, Recorder, USER, until } from '../sources/pdu/support.ts';
import { Snmpd, skip } from './snmpd.ts';

const UPTIME = '1.3.6.1.2.1.1.3.0';

for (const { what, forgets, more } of [
  { what: 'and counts on', forgets: false, more: [] },
  { what: 'as another engine', forgets: true, more: [] },
  {
    what: 'as the same engine that counts from the beginning',
    forgets: true,
    more: ['exactEngineID 0x80001f8880a1b2c3d4e5f60718'],
  },
]) {
  test(`a v3 session is used further after the agent started again ${what}`, { skip }, async (t) => {
    const agent = await Snmpd.start(more);
    t.after(() => agent.close());
    const config = pduConfig(agent.port, { version: '3', user: USER, timeoutMs: 1000, retries: 1 });
    const session = new SnmpSession(config, Date.now);
    t.after(() => session.close());
    const uptime = async () => rawNumber((await session.get([UPTIME])).values[0]?.value);
    for (let i = 0; i < 5; i += 1) assert.ok((await uptime()) !== null);
    for (let restarts = 0; restarts < 2; restarts += 1) {
      await agent.end(forgets);
      await agent.run();
      // One answer may say that the clock is another one: the session is made again with the next request.
      await uptime().catch((error: unknown) => assert.match(String(error), /FL210[15]/));
      for (let i = 0; i < 5; i += 1) assert.ok((await uptime()) !== null);
    }
  });
}

/** A UPS behind snmpd's `pass`: a shell script that serves a file of sorted objects. */
const SCRIPT = `#!/bin/sh
awk -v how="$1" -v asked="$2" '
function after(a, b,   x, y, i, n, m) {
  n = split(substr(a, 2), x, "."); m = split(substr(b, 2), y, ".")
  for (i = 1; i <= n && i <= m; i++) if (x[i] != y[i]) return x[i] + 0 > y[i] + 0
  return n > m
}
how == "-g" ? $1 == asked : after($1, asked) { print $1; print $2; print $3; exit }' "$(dirname "$0")/objects"
`;
const UPS = '.1.3.6.1.2.1.33.1';

test('a count of line failures that runs over reports none, one that grows does; over a real agent', {
  skip,
}, async (t) => {
  const agent = await Snmpd.start();
  t.after(() => agent.close());
  const script = join(agent.folder, 'ups');
  writeFileSync(script, SCRIPT, { mode: 0o700 });
  writeFileSync(join(agent.folder, 'snmpd.conf'), `rocommunity public 127.0.0.1\npass ${UPS} ${script}\n`);
  const bads = (count: number): void => {
    const objects = [
      `${UPS}.1.2.0 string Model`,
      `${UPS}.3.1.0 counter ${count}`,
      `${UPS}.3.2.0 integer 1`,
      `${UPS}.3.3.1.3.1 integer 230`,
      `${UPS}.4.1.0 integer 3`,
      `${UPS}.4.4.1.2.1 integer 230`,
    ];
    writeFileSync(join(agent.folder, 'objects'), `${objects.join('\n')}\n`);
  };
  bads(4_294_967_290);
  await agent.end(false);
  await agent.run();
  const source = new PduSource([pduConfig(agent.port, { name: 'ups-1', intervalMs: 500, timeoutMs: 3000 })], {
    now: Date.now,
  });
  const seen = new Recorder();
  source.start(seen, new AbortController().signal);
  t.after(() => source.stop());
  const polls = () => seen.values('pdu_phase/ups-1/1#voltage').length;
  const next = async () => {
    const before = polls();
    await until(() => polls() > before + 2);
  };
  const counted = () => seen.events.map(({ kind, attributes }) => [kind, attributes?.counted]);
  await next();
  bads(4_294_967_293);
  await until(() => seen.events.length === 1);
  bads(3);
  await next();
  assert.deepEqual(counted(), [['power.voltage_sag', 3]]);
  bads(5);
  await until(() => seen.events.length === 2);
  assert.deepEqual(counted()[1], ['power.voltage_sag', 2]);
});
