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
