// Other jobs: a failed job of a scheduler's log that names no node is the effect of no host's fault but soon after it, or where its own log is there.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const XID = 'Nov 22 02:23:20 gx-6 kernel: NVRM: Xid (PCI:0000:df:00): 95, pid=4711, name=python, Uncontained ECC error';
const drained = '[2026-11-22T02:25:00.000] update_node: node gx-6 reason set to: Xid 95';
const ended = (time: string): string => `[2026-11-22T${time}.184] _job_complete: JobId=48074 WEXITSTATUS 1`;

test('a job that failed long after a fault, on no node that is named, is none of its effects', async (t) => {
  const text = await scannedLogs(t, { messages: [XID], 'slurmctld.log': [drained, ended('03:04:00')] });
  assert.doesNotMatch(text, /Effect .*48074/);
  assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
});

test('one that failed within the time that collectives wait may be', async (t) => {
  const text = await scannedLogs(t, { messages: [XID], 'slurmctld.log': [drained, ended('02:33:40')] });
  assert.match(text, /Effect .*48074/);
});

test('next to a log of a host that is well it is seen, and no incident', async (t) => {
  const load =
    'Nov 22 02:23:20 gx-6 kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.127.05  Tue Oct  8 03:22:07 UTC 2024';
  const text = await scannedLogs(t, { messages: [load], 'slurmctld.log': [drained, ended('03:04:00')] });
  assert.match(text, /No incident: [\s\S]*Seen: 03:04:00 job failed/);
});
