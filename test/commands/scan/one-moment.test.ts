// What two programs, or two layers of one kernel, say of one thing within moments is one incident; of two things it is two.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Logs, scannedLogs } from './scanned.ts';

async function rootsOf(t: TestContext, logs: Logs): Promise<string[]> {
  const text = await scannedLogs(t, logs);
  return [...text.matchAll(/^Root cause +(.*)$/gm)].map(([, root = '']) => root);
}

const kern = (second: number, text: string): string =>
  `Nov 20 11:48:${String(second).padStart(2, '0')} gx-7 kernel: ${text}`;
const UNREADABLE = 'sd 0:0:0:0: [sda] tag#19 Add. Sense: Unrecovered read error - auto reallocate failed';
const unread = (disk: string): string => `blk_update_request: I/O error, dev ${disk}, sector 54439176`;

test('the port of a disk and the disk that failed behind it are one, led by the disk; two disks are of the port', async (t) => {
  const port = [kern(5, 'ata1.00: failed command: READ FPDMA QUEUED'), kern(5, 'ata1.00: error: { UNC }')];
  const one = await rootsOf(t, { 'kern.log': [...port, kern(5, UNREADABLE), kern(5, unread('sda'))] });
  assert.equal(one.length, 1, one.join());
  assert.match(one.join(), /disk sda/);
  // Disks that fail with a port in common are of the port.
  const two = await rootsOf(t, { 'kern.log': [...port, kern(5, unread('sda')), kern(6, unread('sdb'))] });
  assert.deepEqual(two, ['storage I/O error on gx-7: ata1']);
});

test('a member that an array lost is the disk that failed, by whichever partition', async (t) => {
  const roots = await rootsOf(t, {
    'dmesg.txt': [
      '[2001736.159123] nvme nvme9: Device not ready; aborting reset, CSTS=0x1',
      '[2002368.631788] md/raid:md1: Disk failure on nvme9n1p4, disabling device.',
      '[2003213.517965] md/raid1:md0: Disk failure on nvme9n1p2, disabling device.',
      '[2003300.105000] nvme nvme3: Device not ready; aborting reset, CSTS=0x1',
    ],
  });
  assert.equal(roots.length, 2, roots.join());
});

test('a file system that was shut down for errors below it is of them, also without times; of another device it is not', async (t) => {
  const log = (device: string): string[] => [
    'XFS (dm-1): log I/O error -5',
    `XFS (${device}): Filesystem has been shut down due to log error (0x2).`,
  ];
  assert.equal((await rootsOf(t, { 'xfs.txt': log('dm-1') })).length, 1);
  assert.equal((await rootsOf(t, { 'xfs.txt': log('dm-4') })).length, 2);
});

test('a drive of which a BMC foretold that it fails, and does weeks later, is one; of another slot it is another', async (t) => {
  const sel = (slot: string): string[] => [
    ' 547 | 03/16/2025 | 02:18:29 | Drive Slot / Bay #0x44 | Predictive Failure | Asserted',
    ` 548 | 03/26/2025 | 14:11:40 | Drive Slot / Bay ${slot} | Drive Fault | Asserted`,
  ];
  assert.equal((await rootsOf(t, { 'sel.txt': sel('#0x44') })).length, 1);
  assert.equal((await rootsOf(t, { 'sel.txt': sel('#0x46') })).length, 2);
});

test('a fan that goes slow again and again is one, by a clock of twelve hours as well', async (t) => {
  const fan = (time: string, event: string, edge = 'Asserted'): string =>
    `   1 | 10/19/2023 | ${time} PM CEST | Fan #0x46 | ${event} | ${edge}`;
  const roots = await rootsOf(t, {
    'sel.txt': [
      fan('05:15:35', 'Lower Critical going low'),
      fan('05:15:35', 'Lower Non-recoverable going low'),
      fan('05:15:38', 'Lower Non-recoverable going low', 'Deasserted'),
      fan('05:20:59', 'Lower Critical going low'),
    ],
  });
  assert.equal(roots.length, 1, roots.join());
  const text = await scannedLogs(t, { 'sel.txt': [fan('12:15:35', 'Lower Critical going low')] });
  assert.match(text, /2023-10-19 10:15:35/);
});

test('programs that cannot begin to use the GPUs of a host fail for the one that nvidia-smi does not find', async (t) => {
  const roots = await rootsOf(t, {
    'pasted.txt': [
      'Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error',
      'Thu Aug 27 18:05:38 2026',
      '0.00.002.225 E ggml_cuda_init: failed to initialize CUDA: unknown error',
    ],
  });
  assert.equal(roots.length, 1, roots.join());
  assert.match(roots.join(), /0000:34:00.0/);
});

test('the head of a kill in the kernel log is of the kill that the kubelet wrote', async (t) => {
  const kill = 'invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=1000';
  const written = (time: string): string =>
    `Nov 20 ${time} gx-7 kubelet[1431]: I1120 ${time}.205931    1431 event.go:307] "Event occurred" object="gx-7" kind="Node" type="Warning" reason="SystemOOM" message="System OOM encountered, victim process: python3, pid: 40117"`;
  const roots = async (time: string): Promise<number> =>
    (await rootsOf(t, { 'syslog.txt': [kern(5, `python3 ${kill}`), written(time)] })).length;
  assert.equal(await roots('11:48:40'), 1);
});

test('a transfer that the IOMMU refused is of the card whose driver names its port', async (t) => {
  const roots = await rootsOf(t, {
    'dmesg.txt': [
      '[  408.368677] mlx5_core 0000:c1:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x002f address=0x24d08000 flags=0x0000]',
      '[  408.372201] infiniband mlx5_0: mlx5_handle_error_cqe:332:(pid 0): WC error: 4, Message: local protection error',
    ],
  });
  assert.equal(roots.length, 1, roots.join());
});
