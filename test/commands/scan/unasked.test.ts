// Unasked: jobs that a scheduler's log keeps as failed among faults of hosts, and what was over long before the logs end, are raised by no scan.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Logs, scannedLogs } from './scanned.ts';

interface Found {
  readonly incidents: readonly { readonly root: { readonly kind: string } | null }[];
}

async function kinds(t: TestContext, logs: Logs): Promise<(string | undefined)[]> {
  const { incidents } = JSON.parse(await scannedLogs(t, logs, '--json')) as Found;
  return incidents.map(({ root }) => root?.kind);
}

const ENDED = [
  '[2026-11-14T20:15:28.777] _job_complete: JobId=48022 WEXITSTATUS 1',
  '[2026-11-14T20:15:28.790] _job_complete: JobId=48022 done',
];
const DEAD = 'Nov 14 19:50:00 cpu-051 kernel: EXT4-fs error (device sda2): ext4_find_entry:1463: inode #2: comm sh: reading directory lblock 0'; // biome-ignore format: one line

test('how a job ended is raised where nothing else is, and not among the faults of hosts', async (t) => {
  assert.equal((await kinds(t, { 'slurmctld.log': ENDED })).length, 1);
  const both = await kinds(t, { 'slurmctld.log': ENDED, 'cpu-051.messages': [DEAD] });
  assert.equal(both.length, 1);
  assert.notEqual(both[0], 'job.failed');
});

test('a traceback in the log of a job itself is raised next to another fault', async (t) => {
  const job = ['[rank0]: Traceback (most recent call last):', "[rank0]: KeyError: 'query'"];
  assert.equal((await kinds(t, { 'slurm-48022.out': job, 'cpu-051.messages': [DEAD] })).length, 2);
});

const sel = (day: string, event: string, edge: string): string =>
  `   1 | ${day}/2026 | 08:11:02 UTC | Fan FAN2 | ${event} | ${edge}`;
const LOST = 'Lower Critical going low ';
const NEWER = '   9 | 11/22/2026 | 10:00:00 UTC | Event Logging Disabled #0x07 | Log area reset/cleared | Asserted';
const LATER = '   8 | 11/22/2026 | 09:00:00 UTC | Power Supply PS2 Status | Power Supply AC lost | Asserted';

test('a fan that turned again months before is not raised; one that never did is', async (t) => {
  const stood = sel('03/02', LOST, 'Asserted');
  const turned = sel('03/03', LOST, 'Deasserted');
  assert.deepEqual(await kinds(t, { 'sel-cpu-1.txt': [stood, turned, NEWER, LATER] }), ['psu.input_lost']);
  assert.ok((await kinds(t, { 'sel-cpu-1.txt': [stood, NEWER, LATER] })).includes('host.fan_failure'));
});

test('a fan is back with the last of its limits', async (t) => {
  const low = 'Lower Non-critical going low ';
  const both = [sel('03/02', low, 'Asserted'), sel('03/02', LOST, 'Asserted'), sel('03/03', LOST, 'Deasserted'), LATER];
  assert.ok((await kinds(t, { 'sel-cpu-1.txt': both })).includes('host.fan_failure'));
  const back = await kinds(t, { 'sel-cpu-1.txt': [...both, sel('03/04', low, 'Deasserted')] });
  assert.deepEqual(back, ['psu.input_lost']);
});

const UPS = ['2026-11-12 17:02:40 +0000  Power failure.', '2026-11-12 17:02:42 +0000  Power is back. UPS running on mains.']; // biome-ignore format: one line

test('mains that were gone for a moment are raised that day, and not when the log ends weeks later', async (t) => {
  assert.equal((await kinds(t, { 'apcupsd.events': UPS })).length, 1);
  const weeks = '2026-12-01 03:00:01 +0000  UPS Self Test switch to battery.';
  assert.deepEqual(await kinds(t, { 'apcupsd.events': [...UPS, weeks] }), []);
});
