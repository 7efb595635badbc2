// Shared memory that a job finds full is asked for by who starts the job; a disk that the kernel gave up takes the host out of service.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

test('a job without shared memory: its owner, what to start it with, and the pattern of that', async (t) => {
  const text = await scannedLogs(t, {
    'slurm-90811.out': [
      '2026-11-27 10:02:11 step 40 loss 2.11',
      'ai-31:8812:9120 [3] include/shm.h:48 NCCL WARN Error while creating shared memory segment /dev/shm/nccl-Kp3Yq1 (size 9637888), error: No space left on device (28)',
      'RuntimeError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1331, unhandled system error',
    ],
  });
  assert.match(text, /Do +give job 90811 more shared memory \(\/dev\/shm\)/);
  assert.match(text, /Now +where it runs in a container, start it again with more \(docker, podman: --shm-size/);
  assert.match(text, /df -h \/dev\/shm on ai-31/);
  assert.match(text, /Call +who runs job 90811/);
  assert.match(text, /Pattern +Disk or shared memory full \(storage_full/);
});

test('a host whose df shows it full is for who runs the host', async (t) => {
  const text = await scannedLogs(t, {
    'ai-31-df.txt': [
      'Filesystem      Size  Used Avail Use% Mounted on',
      'tmpfs           252G  252G     0 100% /dev/shm',
    ],
  });
  assert.match(text, /Root cause .*shared memory full on ai-31/);
  assert.match(text, /Call +who runs ai-31/);
});

test('a disk whose controller does not come back keeps new work off its host', async (t) => {
  const nvme = await scannedLogs(t, {
    'ai-40-dmesg.txt': [
      '[Fri Nov 27 10:00:01 2026] nvme nvme3: I/O 88 QID 4 timeout, reset controller',
      '[Fri Nov 27 10:01:02 2026] nvme nvme3: Device not ready; aborting reset, CSTS=0x1',
    ],
  });
  assert.match(nvme, /Do +bring back or replace ai-40 disk nvme3, which the kernel gave up/);
  assert.match(nvme, /Now +let no new work onto ai-40/);
  assert.match(nvme, /Pattern +Storage stalls or fails/);
});

test('one that only waited, and answers, does not', async (t) => {
  const text = await scannedLogs(t, {
    'ai-40-dmesg.txt': ['[Fri Nov 27 10:00:01 2026] nvme nvme3: I/O 88 QID 4 timeout, aborting'],
  });
  assert.doesNotMatch(text, /let no new work onto/);
});
