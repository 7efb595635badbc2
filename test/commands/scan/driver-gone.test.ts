// What a scan says where a driver or its GPU is behind what only followed: a container that does not start, a reset that fails.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const flat = (text: string): string => text.replace(/\s+/g, ' ');

test('a container that its driver gives no GPU is of that driver, not of the mount that was late before', async (t) => {
  const text = flat(
    await scannedLogs(t, {
      'describe.txt': [
        'Name:             eval-3',
        'Namespace:        nlp',
        'Node:             gx-71/10.8.0.71',
        'Events:',
        '  Type     Reason       Age                 From     Message',
        '  Warning  FailedMount  4m                  kubelet  MountVolume.SetUp failed for volume "shards" : timed out',
        "  Warning  Failed       8s (x5 over 2m10s)  kubelet  Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: error running prestart hook #0: exit status 1, stdout: , stderr: Auto-detected mode as 'legacy'",
        'nvidia-container-cli: initialization error: driver rpc error: timed out: unknown',
      ],
    }),
  );
  assert.match(text, /1 incident out of 1 event/);
  assert.match(text, /Do find out why the NVIDIA driver of gx-71 does not answer/);
  assert.match(text, /Now on gx-71, timeout 20 nvidia-smi; .*kubectl cordon gx-71/);
  assert.match(text, /Call who runs gx-71/);
  assert.doesNotMatch(text, /the host of describe\.txt|does not fit/);
});

test('in a log of a job the same words are of a driver that does not answer, and not of one that does not fit', async (t) => {
  const line = 'nvidia-container-cli: initialization error: driver rpc error: timed out: unknown';
  const text = flat(await scannedLogs(t, { 'train.out': [line] }, '--host', 'gx-72'));
  assert.match(text, /driver call passed its deadline on gx-72/);
  assert.doesNotMatch(text, /does not fit|image for that CUDA/);
});

test('a node of which all devices are unhealthy is looked at, and not its pod', async (t) => {
  const text = flat(
    await scannedLogs(t, {
      'events.txt': [
        'LAST SEEN   TYPE      REASON                     OBJECT        MESSAGE',
        '9m          Normal    Scheduled                  pod/embed-4   Successfully assigned nlp/embed-4 to gx-73',
        '8m          Warning   UnexpectedAdmissionError   pod/embed-4   Allocate failed due to no healthy devices present; cannot allocate unhealthy devices amd.com/gpu, which is unexpected',
      ],
    }),
  );
  assert.match(text, /Do find out why no amd\.com\/gpu of gx-73 is healthy/);
  assert.match(text, /on gx-73, amd-smi list; .*Call who runs gx-73/);
});

test('an error that AMD announces, its block and the reset that fails are one incident, without the corrected ones of others', async (t) => {
  const at = (seconds: number, words: string): string => `[ ${seconds.toFixed(6)}] amdgpu 0000:c5:00.0: ${words}`;
  const text = flat(
    await scannedLogs(t, {
      'dmesg-gx-74.txt': [
        at(4100.1, 'amdgpu: {7}uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) detected!'),
        '[ 4100.150000] amdgpu 0000:e5:00.0: {7}[Hardware Error]: Accelerator Check Architecture events logged',
        '[ 4100.150100] amdgpu 0000:e5:00.0: {7}[Hardware Error]: aca entry[00].STATUS=0x9c00000000060000',
        at(4100.4, 'amdgpu: socket: 1, die: 0 1 uncorrectable hardware errors detected in umc block'),
        at(4100.5, 'amdgpu: GPU reset begin!. Source:  5'),
        at(4109.2, 'amdgpu: GPU reset end with ret = -19'),
      ],
    }),
  );
  assert.match(text, /1 incident out of /);
  assert.match(text, /Do reboot gx-74 \(it led to: GPU reset failed\)/);
  assert.match(text, /remediated \S+ · after .{1,30} · failed · GPU reset/);
  assert.doesNotMatch(text, /0000:e5:00\.0|verified/);
});

test('an entry that AMD marks as uncorrected is a fault of its GPU', async (t) => {
  const line = '[ 4100.150100] amdgpu 0000:e5:00.0: {7}[Hardware Error]: aca entry[00].STATUS=0xbe00000000060000';
  assert.match(flat(await scannedLogs(t, { 'dmesg-gx-75.txt': [line] })), /GPU fault on gx-75 gpu 0000:e5:00\.0/);
});

test('times that are counted back from a saved file make no repair of what another log dates', async (t) => {
  const text = await scannedLogs(t, {
    'hx-4.dmesg': [
      '[   41.000003] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.158.01  Release Build',
      '[   64.000004] NVRM: GPU 0000:cb:00.0: RmInitAdapter failed! (0x62:0xffff:2015)',
    ],
    'slurmctld.log': [
      '[2026-11-29T06:02:11.331] error: Setting node hx-4 state to INVAL with reason:gres/gpu count reported lower than configured (7 < 8)',
      '[2026-11-29T06:02:11.332] drain_nodes: node hx-4 state set to DRAIN',
    ],
  });
  assert.match(text, /GPU missing on hx-4|hx-4: GPU missing/);
  assert.doesNotMatch(text, /remediated|verified/);
});
