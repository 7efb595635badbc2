// What a scan says of a broken disk in a host that serves the files of a cluster: it is not a node for jobs, and stays up while data are rebuilt.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const GONE = (host: string): string[] => [
  `Nov 29 06:20:31 ${host} kernel: nvme nvme3: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff`,
  `Nov 29 06:20:32 ${host} kernel: nvme nvme3: Disabling device after reset failure: -19`,
];

test('a disk that a backend lost is swapped while the host runs, by who runs the file system', async (t) => {
  const text = await scannedLogs(t, { 'kern.log': GONE('weka-4') });
  assert.match(text, /Do +replace weka-4 disk nvme3, which the kernel gave up, as who runs its file system says/);
  assert.match(text, /Call +who runs the file system of weka-4, then who may touch its hardware/);
  assert.doesNotMatch(text, /scontrol|cordon|take the power/);
});

test('a disk of a node for jobs is looked at once nothing runs there', async (t) => {
  const text = await scannedLogs(t, { 'kern.log': GONE('gx-4') });
  assert.match(text, /scontrol update nodename=gx-4 state=drain/);
  assert.match(text, /take the power of gx-4 away/);
});

test('what a disk of Ceph holds has copies: nothing is copied off it, and its daemon stays down', async (t) => {
  const medium = 'Nov 29 06:20:31 ceph-osd-7 kernel: sd 2:0:5:0: [sdh] tag#112 Sense Key : Medium Error [current]';
  const text = await scannedLogs(t, { 'kern.log': [medium] });
  assert.match(text, /Do +check ceph-osd-7 disk sdh, and replace it as who runs its file system says/);
  assert.match(text, /a daemon on it is not started again/);
  assert.doesNotMatch(text, /copy off/);
});

test('no command of a scheduler is aimed at a file server with a bad module', async (t) => {
  const text = await scannedLogs(t, {
    'oss-12-sel.txt': [' 7 | 11/23/2026 | 22:41:07 | Memory #0x87 | Uncorrectable ECC (@DIMMH1) | Asserted'],
  });
  assert.match(text, /Now +ask who runs its file system before oss-12, which serves it, is taken down/);
  assert.doesNotMatch(text, /scontrol|cordon/);
});
