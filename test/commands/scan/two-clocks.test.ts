// What a scan says of a credential that munge refuses for its time: two clocks differ, and either may be the wrong one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

for (const word of ['Expired', 'Rewound'])
  test(`${word} credential: either clock may be wrong`, async (t) => {
    const text = await scannedLogs(t, { 'slurmd.log': [`[2026-11-29T05:11:40.201] error: Munge decode failed: ${word} credential`] }, '--host', 'hx-8'); // biome-ignore format: one log
    assert.match(text, /Do +find which clock is wrong, that of hx-8 or of the host whose messages it refuses/);
    assert.match(text, /Now +on hx-8 and on the sender, which the lines around it name, date -u and chronyc tracking/);
    assert.match(text, /set right that one: let its time server answer/);
  });

test('a clock that is known to be off by seconds is the root of what Slurm says of its node', async (t) => {
  const journal = [
    "Nov 29 12:01:10 hx-8 chronyd[44]: Can't synchronise: no selectable sources",
    'Nov 29 12:14:10 hx-8 chronyd[44]: System clock wrong by 412.331812 seconds',
    'Nov 29 12:20:31 hx-8 slurmd[312]: error: Munge decode failed: Rewound credential',
  ];
  const slurm = '[2026-11-29T12:52:00.501] error: Nodes hx-8 not responding';
  const text = await scannedLogs(t, { 'hx-8.journal': journal, 'slurmctld.log': [slurm] });
  assert.match(text, /Root cause +Unconfirmed: clock wrong on hx-8: 412\.3 s off/);
  assert.match(text, /Effect +hx-8 does not answer/);
  assert.match(text, /1 incident out of/);
});
