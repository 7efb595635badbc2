// Pasted commands: what a scan proposes can be done by whoever has nothing but saved logs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const step = (number: number, seconds: number, ms: number): string =>
  ` [2026-11-27 10:${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}] iteration ${number}/ 90000 | consumed samples: ${number * 512} | elapsed time per iteration (ms): ${ms}.0 | lm loss: 2.0E+00 |`;

test('a job that became slow asks for logs of its other hosts, not for a daemon', async (t) => {
  const usual = Array.from({ length: 40 }, (_, i) => step(i, i * 3, 2900 + (i % 3)));
  const slow = Array.from({ length: 40 }, (_, i) => step(40 + i, 120 + i * 8, 7900 + (i % 3)));
  const text = await scannedLogs(t, { 'slurm-771.out': [...usual, ...slow] });
  assert.match(text, /Now +on each host of the job, sudo dmesg -T > \$\(hostname\)\.dmesg; nvidia-smi -q > /);
  assert.doesNotMatch(text, /faultline incidents/);
});

test('how to name the host says of which files', async (t) => {
  const text = await scannedLogs(t, { 'kern.txt': ['[  100.000001] NVRM: Xid (PCI:0000:4e:00): 79, pid=1, GPU has fallen off the bus.'] }); // biome-ignore format: one line
  assert.match(text, /where all is of one host, name it: faultline scan --host NAME \/\S+\/kern\.txt\n/);
});

const XID = '[  100.000001] NVRM: Xid (PCI:0000:4e:00): 79, pid=1, GPU has fallen off the bus.';

test('a ticket names the runbook by its place in the documentation, not by a folder of who scanned', async (t) => {
  const text = await scannedLogs(t, { 'kern.txt': [XID] }, '--format', 'markdown');
  assert.match(text, /\*\*Runbook:\*\* `docs\/runbooks\/\w+\.md#\w+`/);
});

test('logs that are called after their folder are said to lie in it', async (t) => {
  const mmfs = (disk: string) => `2026-11-27_10:00:11.201+0000: [E] Disk failure.  Volume gpfs01. rc = 5. Physical volume ${disk}`; // biome-ignore format: one line
  const text = await scannedLogs(t, { 'd31/mmfs.log': [mmfs('nsd_1')], 'd32/mmfs.log': [mmfs('nsd_2')], 'd32/job.out': ['-'] }); // biome-ignore format: one line
  assert.match(text, /no line names the host of the logs in d31, d32/);
});

test('a log of a host that nothing names is counted as no host', async (t) => {
  const lost = (host: string) => [`Nov 29 01:00:00 ${host} kernel: NVRM: Xid (PCI:0000:1b:00): 79, pid=1, GPU has fallen off the bus.`]; // biome-ignore format: one line
  const full = ['2026-11-29 01:40:11 ERROR could not write /work/b/part_7: No space left on device'];
  const text = await scannedLogs(t, { 'a/kern.log': lost('hx-12'), 'b/kern.log': lost('hx-13'), 'c/train.log': full });
  assert.match(text, /^faultline scan · 3 logs of 2 hosts, 1 of a host that is not named · /);
});
