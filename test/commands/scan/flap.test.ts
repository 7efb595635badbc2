// Flap: a port that goes down several times is one incident from its first line to its last, over once it stays up.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const scanned = (t: TestContext, lines: readonly string[]): Promise<string> =>
  scannedLogs(t, { 'dmesg-gx-60.txt': lines });

const link = (time: string, what: string): string =>
  `[Sun Nov 29 ${time} 2026] mlx5_core 0000:ca:00.0 ib5: Link ${what}`;
const FLAPS = [
  link('06:20:11', 'down'),
  link('06:20:19', 'up'),
  link('06:20:41', 'down'),
  link('06:20:55', 'up'),
  link('06:21:22', 'down'),
];

test('it is seen from the first time to the end after the last one', async (t) => {
  const text = await scanned(t, [...FLAPS, link('06:21:31', 'up')]);
  assert.match(text, /seen [\d-]+ 06:20:11 … 06:21:31, over 1 min 20 s\n/);
  assert.match(text, /06:21:31 +gx-60 ib5 +NIC port down, over/);
});

test('a port that was up in between and is down at the end is not over', async (t) => {
  const text = await scanned(t, FLAPS);
  assert.match(text, /NIC port down/);
  assert.doesNotMatch(text, /NIC port down, over/);
});

test('a port that drops in a bond is counted once a time, to its last', async (t) => {
  const drop = (time: string): string[] => [
    `Nov 28 ${time}:12 hx-2 kernel: bnxt_en 0000:41:00.1 ens1f1np1: NIC Link is Down`,
    `Nov 28 ${time}:12 hx-2 kernel: bond1: (slave ens1f1np1): link status definitely down, disabling slave`,
    `Nov 28 ${time}:16 hx-2 kernel: bnxt_en 0000:41:00.1 ens1f1np1: NIC Link is Up, 100000 Mbps full duplex`,
    `Nov 28 ${time}:16 hx-2 kernel: bond1: (slave ens1f1np1): link status definitely up, 100000 Mbps full duplex`,
  ];
  const text = await scannedLogs(t, {
    messages: [...drop('10:01'), ...drop('10:04'), ...drop('10:06'), ...drop('10:07')],
  });
  assert.match(text, /NIC link flapped, [34] times/);
  assert.match(text, /seen [\d-]+ 10:01:12 … 10:0[67]:1[26], over [56] min/);
});
