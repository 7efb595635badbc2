// Where the reason of a failed job is kept, and who holds a GPU that another program was to have.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

test('a job that Kubernetes gave up is asked of Kubernetes alone', async (t) => {
  const text = await scannedLogs(t, {
    'job.txt': [
      'Name:             tune-weekly',
      'Namespace:        ml',
      'Pods Statuses:    0 Active (0 Ready) / 0 Succeeded / 4 Failed',
      'Events:',
      '  Type     Reason                Age   From            Message',
      '  ----     ------                ----  ----            -------',
      '  Warning  BackoffLimitExceeded  3m    job-controller  Job has reached the specified backoff limit',
    ],
  });
  assert.match(text, /Now +kubectl get pods -A -l job-name=tune-weekly names its pods/);
  assert.doesNotMatch(text, /sacct|scontrol/);
});

const outOfMemory = (other: string): string[] => [
  '2026-11-29 21:00:09 [rank3]: Traceback (most recent call last):',
  `2026-11-29 21:00:09 [rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.11 GiB of which 1.02 GiB is free. Process 70311 has ${other} GiB memory in use. Including non-PyTorch memory, this process has 45.10 GiB memory in use.`,
];

test('a process that holds much of the GPU is looked at, though the program holds more', async (t) => {
  assert.match(await scannedLogs(t, { 'train.log': outOfMemory('32.40') }), /Do +see whose process 70311 is/);
  assert.match(await scannedLogs(t, { 'train.log': outOfMemory('1.40') }), /Do +let .* use less memory of the GPU/);
});
