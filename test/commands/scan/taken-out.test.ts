// Nodes that Slurm, or a person, took out of service: one incident of each, with what is to be seen before a reboot and how it comes back.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

/** The text of the report in lines that are not broken. */
const scanned = (
  t: TestContext,
  files: Readonly<Record<string, readonly string[]>>,
  ...more: string[]
): Promise<string> => scannedLogs(t, files, ...more);

const shown = (reason: string): string[] => [
  'NodeName=gx-90 Arch=x86_64 CoresPerSocket=56 ',
  '   State=IDLE+DRAIN ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A',
  `   Reason=${reason}`,
];
const GRES = 'gres/gpu count reported lower than configured (7 < 8)';
const SHOWN = shown(`${GRES} [slurm@2026-11-29T01:13:02]`);
const LOG = [
  `[2026-11-29T01:13:02.113] error: Setting node gx-90 state to INVAL with reason:${GRES}`,
  '[2026-11-29T01:13:02.113] drain_nodes: node gx-90 state set to DRAIN',
];
const TABLE = [
  'REASON               USER      TIMESTAMP           NODELIST',
  'gres/gpu count repor slurm     2026-11-29T01:13:02 gx-90',
  'Kill task failed     root      2026-11-29T03:10:02 gx-22',
];

test('a drain that two or three tables report is one incident on the node that they name', async (t) => {
  const text = await scanned(t, { 'scontrol.txt': SHOWN, 'slurmctld.log': LOG });
  assert.match(text, /\n1 incident out of /);
  assert.match(text, /^faultline scan · 2 logs · 5 lines/);
  assert.doesNotMatch(text, /no line names the host|of 2 hosts/);
  const three = await scanned(t, { 'scontrol.txt': SHOWN, 'slurmctld.log': LOG, 'sinfo-R.txt': TABLE });
  assert.match(three, /\n2 incidents out of /);
  assert.equal(three.match(/Root cause +GPU missing on gx-90\n/g)?.length, 1);
});

test('a drained node: what its driver sees comes before a reboot, then how it comes back; no word of its log stands for a stage', async (t) => {
  const text = await scanned(t, { 'scontrol.txt': SHOWN, 'slurmctld.log': LOG });
  assert.match(
    text,
    /Now +on gx-90, nvidia-smi -L .* slurmd -C .* gx-90 takes no new work already; once nothing runs on gx-90, .*reboot/s,
  );
  assert.match(text, /once gx-90 is right: scontrol update nodename=gx-90 state=resume/);
  assert.doesNotMatch(text, /state=drain|succeeded|tainted|host\/gx-90/);
  assert.match(text, /\nquarantined +01:13:02 · after 0\.11 s · drained gx-90, /);
});

test('a person who drained a node is named with the reason, and nothing is an incident', async (t) => {
  const text = await scanned(t, { 'scontrol.txt': shown('bad ib5 cable, ticket 4471 [root@2026-11-29T01:13:02]') });
  assert.match(text, /\nNo incident: /);
  assert.match(
    text,
    /\nDrained by root, 2026-11-29T01:13:02Z: gx-90, "bad ib5 cable, ticket 4471"\. .*scontrol update nodename=gx-90 state=resume\n/,
  );
});

test('a check that took a node out is named in what to do, and the node is not drained once more', async (t) => {
  const text = await scanned(t, {
    'sinfo-R.txt': [...TABLE.slice(0, 1), 'NHC: check_hw_gpu: G root      2026-11-29T05:13:02 gx-91'],
  });
  assert.match(text, /Do +see on gx-91 what its health check found: NHC: check_hw_gpu: G /);
  assert.doesNotMatch(text, /state=drain/);
});

test('tables of other nodes are not of the host whose kernel log lies next to them', async (t) => {
  const kernel = ['Nov 29 01:00:00 gx-12 kernel: NVRM: Xid (PCI:0000:1b:00): 79, pid=1, GPU has fallen off the bus.'];
  const text = await scanned(t, { 'kern.log': kernel, 'scontrol.txt': SHOWN });
  assert.match(text, /of 2 hosts/);
  assert.match(text, /\n2 incidents out of /);
});

test('a folder or a file that is plainly called after a host names it, which `assumed` says', async (t) => {
  const sel = ['2 | 11/29/2026 | 02:41:09 | Power Supply PSU2 Status | Power Supply AC lost | Asserted'];
  const df = [
    'Filesystem      Size  Used Avail Use% Mounted on',
    '/dev/md0        120T  120T     0 100% /export/scratch',
  ];
  assert.match(
    await scanned(t, { 'gx-70/sel-elist.txt': sel }),
    /Root cause +power supply lost its input on gx-70 psu 2\n/,
  );
  assert.match(
    await scanned(t, { 'df-nfs-01.txt': df }),
    /Root cause +disk full on nfs-01: \/export\/scratch, 100 % used\n/,
  );
  const { inputs } = JSON.parse(await scanned(t, { 'gx-70/sel-elist.txt': sel, 'df-nfs-01.txt': df }, '--json'));
  for (const { assumed } of inputs) assert.ok(assumed.includes('host_from_path'), String(assumed));
  const unnamed = await scanned(t, { 'case4/sel.txt': sel });
  assert.match(unnamed, /where all is of one host, name it: faultline scan --host NAME \S+\n/);
});
