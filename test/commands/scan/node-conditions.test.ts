// Conditions that detectors of problems set on a node: those whose name says that it is one to have, and is not, count as those that name a problem.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const TIMES = 'Sun, 29 Nov 2026 06:10:01 +0000   Sun, 29 Nov 2026 06:01:00 +0000';
const described = (...rows: readonly string[]): string[] => [
  'Name:               nb-30',
  'Conditions:',
  '  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason                       Message',
  '  ----             ------  -----------------                 ------------------                ------                       -------',
  ...rows,
  `  MemoryPressure   False   ${TIMES}   KubeletHasSufficientMemory   kubelet has sufficient memory available`,
  `  Ready            True    ${TIMES}   KubeletReady                 kubelet is posting ready status`,
  'Capacity:',
  '  nvidia.com/gpu:     8',
  'Allocatable:',
  '  nvidia.com/gpu:     7',
];

test('an XID in a condition is that of the GPU, and that pods have one fewer is not said besides', async (t) => {
  const text = await scannedLogs(t, {
    'd.txt': described(`  XidFree          True    ${TIMES}   NoXid   none`, `  GpuHealthy       False   ${TIMES}   Critical                     GPU-77aa01b2 XID 79: fallen off the bus`), // biome-ignore format: one table
  });
  assert.match(text, /\n1 incident out of /);
  assert.match(
    text,
    /GPU fell off the bus on nb-30 gpu GPU-77aa01b2|GPU lost on nb-30 gpu GPU-77aa01b2|nb-30 gpu GPU-77aa01b2/,
  );
  assert.match(text, /kubectl cordon nb-30/);
});

test('another condition is said in its own words, and its node is cordoned', async (t) => {
  const text = await scannedLogs(t, { 'd.txt': described(`  NVLinkOK         False   ${TIMES}   LinksDown                    2 links of GPU 3 are inactive`) }); // biome-ignore format: one table
  assert.match(
    text,
    /Do +see what is wrong with nb-30, whose condition NVLinkOK says so: 2 links of GPU 3 are inactive/,
  );
  assert.match(text, /Now +kubectl cordon nb-30; on nb-30, nvidia-smi; /);
});

test('conditions that are as they should be report nothing', async (t) => {
  const lines = described(`  GpuHealthy       True    ${TIMES}   NoFault                      all GPUs answer`).slice(
    0,
    -4,
  );
  assert.match(await scannedLogs(t, { 'd.txt': lines }), /No incident/);
});
