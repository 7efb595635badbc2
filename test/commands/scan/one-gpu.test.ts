// What several lines, or tools, say of one GPU is one incident; what two processes did to it are two.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Logs, scannedLogs } from './scanned.ts';

async function rootsOf(t: TestContext, logs: Logs): Promise<string[]> {
  const text = await scannedLogs(t, logs);
  return [...text.matchAll(/^Root cause +(.*)$/gm)].map(([, root = '']) => root);
}

const stuck = (seconds: number, pid: number): string =>
  `[${seconds}.551321] NVRM: Xid (PCI:0000:0b:00): 109, pid=${pid}, name=train, Ch 00000020, errorString CTX SWITCH TIMEOUT, Info 0xac00d`;

test('a process that a GPU stops again and again, with minutes between, is one incident; two processes are two', async (t) => {
  const one = await rootsOf(t, { 'dmesg.txt': [stuck(10900, 11263), stuck(11272, 11263), stuck(12210, 11263)] });
  assert.equal(one.length, 1, one.join());
  const two = await rootsOf(t, { 'dmesg.txt': [stuck(10900, 11263), stuck(12210, 11999)] });
  assert.equal(two.length, 2, two.join());
});

test('a GPU that nvidia-smi does not find is the one that fell off the bus, where the command is first as well', async (t) => {
  const roots = await rootsOf(t, {
    'pasted.txt': [
      'root@node-1:~# nvidia-smi',
      'Unable to determine the device handle for GPU0000:A1:00.0: Unknown Error',
      '',
      'root@node-1:~# dmesg -T | grep NVRM',
      '[Thu Apr  4 18:03:56 2024] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.161.07  Sat Feb 17 22:55:48 UTC 2024',
      "[Fri Apr  5 21:29:39 2024] NVRM: Xid (PCI:0000:a1:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
    ],
  });
  assert.deepEqual(roots, ['GPU fell off the bus on node-1 gpu 0000:a1:00.0']);
});

test('a hang and the reset that failed after it are one, in either order, and a time without a day names none', async (t) => {
  const hang = '22:39:31 kernel: i915 0000:00:02.0: [drm] GPU HANG: ecode 12:1:0020fffe, in train [1676]';
  const failed =
    '22:39:31 kernel: i915 0000:00:02.0: [drm] *ERROR* GT0: GUC: Engine reset failed on 0:0 (rcs0) because 0x00000000';
  for (const lines of [
    [hang, failed],
    [failed, hang],
  ]) {
    const roots = await rootsOf(t, { 'kernel.log': lines });
    assert.equal(roots.length, 1, roots.join());
    assert.doesNotMatch(roots.join(), /22:39:31/);
  }
});

test('links of a module that are inactive are read where the UUID was taken out', async (t) => {
  const links = [0, 1, 2, 3, 4, 5].map(
    (link) => `         Link ${link}: ${link === 3 || link === 5 ? '<inactive>' : '25.781 GB/s'}`,
  );
  const roots = await rootsOf(t, { 'links.txt': ['GPU 3: Tesla V100-SXM2-32GB (UUID: ...)', ...links] });
  assert.match(roots.join(), /NVLink/);
});
