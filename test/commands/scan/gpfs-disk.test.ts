// What a scan says of a disk of GPFS that answers with errors: the disk, whatever was heard of its server before.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const UNEXPECTED =
  '2026-11-30_02:10:05.110+0000: [W] The TCP connection to IP address 10.9.0.31 nsd-31 <c0n2> (socket 61) state is unexpected: ca_state=4 unacked=2 rto=6400000';

test('a disk with errors is looked at, not the node that has it', async (t) => {
  const text = await scannedLogs(t, {
    'mmfs.log.latest': [
      UNEXPECTED,
      '2026-11-30_02:10:25.330+0000: [E] Local access to nsd_b_07 failed with EIO, switching to access the disk remotely.',
    ],
  });
  assert.match(text, /Do +see what disk nsd_b_07 of GPFS has/);
  assert.match(text, /mmchdisk FILESYSTEM start -d nsd_b_07/);
  assert.doesNotMatch(text, /ping -c 3/);
});

test('a node that does not answer alone is looked at itself', async (t) => {
  const text = await scannedLogs(t, { 'mmfs.log.latest': [UNEXPECTED] });
  assert.match(text, /Do +see whether nsd-31, a node of GPFS, is up/);
});
