// Nodes that a scheduler calls silent or failed: each by its name, looked at before its power is taken, over once it answers.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

/** The text of the report in lines that are not broken. */
const scanned = (t: TestContext, name: string, lines: readonly string[]): Promise<string> =>
  scannedLogs(t, { [name]: lines });

const SILENT = '[2026-11-29T02:10:02.112] error: Nodes gx-[01-03,07] not responding';
const back = (node: string): string => `[2026-11-29T02:10:42.112] Node ${node} now responding`;

test('the node that srun names failed, not the one on which the step is ended; on words of a job no power is taken', async (t) => {
  const text = await scanned(t, 'slurm-8.out', [
    'srun: error: Node failure on gx-47',
    'slurmstepd: error: *** JOB 8 ON gx-46 CANCELLED AT 2026-11-29T04:00:00 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***',
  ]);
  assert.match(text, /Root cause +Unconfirmed: host down on gx-47\n/);
  assert.match(
    text,
    /Now +ping -c 3 gx-47; ssh gx-47 uptime; ipmi='ipmitool -I lanplus -H BMC -U USER -f PASSFILE'; \$ipmi chassis power status/,
  );
  assert.match(text, /Call +who runs gx-47\n/);
  assert.doesNotMatch(text, /power cycle|off and on/);
});

test('nodes silent at once are one incident of each by its name, and what lost them all comes first', async (t) => {
  const text = await scanned(t, 'slurmctld.log', [
    SILENT,
    '[2026-11-29T02:15:02.113] error: Nodes gx-[01-03,07] not responding, setting DOWN',
    '[2026-11-29T02:15:02.113] requeue job JobId=90777 due to failure of node gx-01',
  ]);
  assert.match(text, /Do +see first what lost gx-01, gx-02, gx-03, gx-07 at once: the network to them/);
  assert.match(text, /scontrol ping/);
  assert.match(text, /\n1 incident out of /);
  assert.doesNotMatch(text, /power cycle|gx-\[01-03,07\] (?:is|off)/);
});

test('a file server that answers again is waited for no longer', async (t) => {
  const lost = '2026-11-30T07:10:01.100000+00:00 gx-70 kernel: nfs: server nas-01 not responding, still trying';
  assert.match(await scanned(t, 'kern.log', [lost]), /Now +on gx-70, ping -c 3 nas-01; nc -zv nas-01 2049/);
  const text = await scanned(t, 'kern.log', [
    lost,
    '2026-11-30T07:21:01.100000+00:00 gx-70 kernel: nfs: server nas-01 OK',
  ]);
  assert.match(
    text,
    /Do +nothing now, it is over since 07:21:01 UTC; where it comes back: look after the file server nas-01/,
  );
  assert.doesNotMatch(text, /Now +ask/);
});

test('a node that answers again is over; one of several that does not leaves it open', async (t) => {
  const one = await scanned(t, 'slurmctld.log', [
    '[2026-11-29T02:10:02.112] error: Nodes gx-01 not responding',
    back('gx-01'),
  ]);
  assert.match(one, /Effect +gx-01 did not answer for a while\n/);
  assert.match(one, /Do +nothing now, it is over/);
  assert.match(
    one,
    /02:10:42 +gx-01 +host down, over +program-log\s+"\[2026-11-29T02:10:42\.112\] Node gx-01 now responding"/,
  );
  assert.doesNotMatch(one, /\nNow |\nCall /);
  const all = ['gx-01', 'gx-02', 'gx-03', 'gx-07'].map(back);
  assert.match(await scanned(t, 'slurmctld.log', [SILENT, ...all]), /Do +nothing now, it is over/);
  assert.doesNotMatch(await scanned(t, 'slurmctld.log', [SILENT, ...all.slice(1)]), /it is over/);
});

test('on the log of a scheduler alone one node that stays silent is looked at, and its power is not taken', async (t) => {
  const text = await scanned(t, 'slurmctld.log', [
    '[2026-11-29T02:10:02.112] error: Nodes gx-01 not responding, setting DOWN',
  ]);
  assert.match(
    text,
    /Now +ping -c 3 gx-01; .*chassis power status: where it is up, .* [Ww]here it is dead, let no new work onto it/s,
  );
  assert.doesNotMatch(text, /power cycle|off and on/);
  assert.match(text, /as the log says: any program could have printed it/);
});

test('workers that Ray ended for memory, and the node it then lost, are one incident on the node of its address', async (t) => {
  const text = await scanned(t, 'ray-driver.log', [
    '(raylet, ip=10.2.0.17) [2026-11-29 04:31:10,121 E 2211 2211] (raylet) node_manager.cc:3065: 3 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed due to other reasons at node (ID: 5b2c6c2e, IP: 10.2.0.17) over the last time period.',
    '2026-11-29 04:33:00,120\tWARNING worker.py:2057 -- The node with node id: 5b2c6c2e0d11 and address: 10.2.0.17 and node name: 10.2.0.17 has been marked dead because the detector has missed too many heartbeats from it. This can happen when a \t(1) raylet crashes unexpectedly (OOM, etc.) ',
  ]);
  assert.match(text, /\n1 incident out of /);
  assert.match(text, /worker ended by Ray for memory on 10\.2\.0\.17/);
  assert.match(text, /Do +see what filled the memory of 10\.2\.0\.17/);
  assert.match(text, /would be confirmed by: Ray's own log of that node/);
  assert.doesNotMatch(text, /kernel's own line on the kill/);
  assert.doesNotMatch(text, /power cycle|off and on/);
});

const SACCT = 'JobID|JobName|State|ExitCode|NodeList|Start|End';
const failedOn = (nodes: string): string =>
  `90802|llama|NODE_FAIL|0:0|${nodes}|2026-11-29T01:00:00|2026-11-29T02:10:00`;

test('a job that ended by the failure of its node leads to the node, never to its program', async (t) => {
  const one = await scanned(t, 'sacct.txt', [SACCT, failedOn('gx-40')]);
  assert.match(one, /Root cause +host down on gx-40\n/);
  assert.match(one, /Effect +gx-40 does not answer; job 90802: ended because a node of it failed\n/);
  assert.match(one, /\n1 incident out of /);
  const several = await scanned(t, 'sacct.txt', [SACCT, failedOn('gx-[40-41]')]);
  assert.match(several, /No root cause yet.* job 90802 ended because a node of it failed \(gx-40 or gx-41\)/);
  assert.match(several, /Most likely a node of the job /);
  assert.match(several, /To find out +see which node of the job failed/);
  assert.match(several, /Call +who runs gx-40 or gx-41\n/);
  assert.doesNotMatch(one + several, /debug|software bug/);
});
