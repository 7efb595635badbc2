// What a scan says of a database whose disk is full, and of the accounting daemon that ends with it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const JOURNAL = [
  'Nov 29 03:09:50 db-1 mariadbd[822]: 2026-11-29  3:09:50 0 [ERROR] InnoDB: Write to file ./acct/job_table.ibd failed at offset 88080384, 1048576 bytes should have been written, only 0 were written. Operating system error number 28.',
  "Nov 29 03:10:02 db-1 slurmdbd[911]: error: mysql_query failed: 1114 The table 'step_table' is full",
  'Nov 29 03:10:03 db-1 systemd[1]: slurmdbd.service: Main process exited, code=exited, status=1/FAILURE',
];

test('the full disk is the root, the accounting daemon its effect, and it is to be started again', async (t) => {
  const text = await scannedLogs(t, {
    'db-1.journal': JOURNAL,
    'slurmctld.log': ['[2026-11-29T03:10:11.120] error: slurmdbd: Sending PersistInit msg: Connection refused'],
  });
  assert.match(text, /Root cause +Unconfirmed: disk full on db-1/);
  assert.match(text, /Do +free space on the disk of the database of db-1, then start slurmdbd again/);
  assert.match(text, /sudo systemctl restart slurmdbd, before the queue/);
  assert.match(text, /1 incident out of/);
});

test('slurmctld alone: start slurmdbd again, and drain no host for it', async (t) => {
  const text = await scannedLogs(t, { 'slurmctld.log': ['[2026-11-29T03:25:00.501] error: slurmdbd: agent queue filling (40412), MaxDBDMsgs=80000, RESTART SLURMDBD NOW'] }, '--host', 'ctl-1'); // biome-ignore format: one log
  assert.match(text, /host reported degraded on ctl-1: slurmdbd is not reached/);
  assert.match(text, /start slurmdbd again, which slurmctld does not reach: 40412 of 80000 records\s+wait/);
  assert.doesNotMatch(text, /state=drain|ipmitool/);
});

test('a temporary table that reached its limit says nothing of the disk', async (t) => {
  const line = "Nov 29 03:09:51 db-1 mariadbd[822]: 2026-11-29  3:09:51 12 [ERROR] mariadbd: The table '/tmp/#sql-temptable-3' is full"; // biome-ignore format: one line
  assert.match(await scannedLogs(t, { 'db-1.journal': [line] }), /No incident/);
});

test('a script of a job that found no space: the disk of its node, not the job', async (t) => {
  const text = await scannedLogs(t, {
    'slurmd.log': [
      '[2026-11-29T03:22:10.101] error: batch script setup failed for job 4411 on hx-3: No space left on device',
      '[2026-11-29T03:22:40.311] error: Error writing to file /var/spool/slurmd/cred_state.new: No space left on device',
    ],
    'slurmctld.log': ['[2026-11-29T03:22:10.201] error: slurmd error running JobId=4411 on node(s)=hx-3: Unspecified error'], // biome-ignore format: one line
  });
  assert.match(text, /Root cause +disk full on hx-3/);
  assert.match(text, /1 incident out of/);
  assert.doesNotMatch(text, /ipmitool|Most likely the job itself/);
});
