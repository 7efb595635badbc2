// One job: what its own lines name first is why it ended, and why its peers waited; two ranks may still fail of two things.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const TRACEBACK = ['Traceback (most recent call last):', '  File "/app/train.py", line 60, in main', '    step()'];
const WATCHDOG = (rank: number): string =>
  `[rank${rank}]:[E1128 21:22:49.422069862 ProcessGroupNCCL.cpp:616] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=22, OpType=ALLREDUCE, NumelIn=687, NumelOut=687, Timeout(ms)=600000) ran for 600084 milliseconds before timing out.`;
const ranked = (rank: number, lines: readonly string[]): string[] => lines.map((line) => `[rank${rank}]: ${line}`);

async function roots(t: Parameters<typeof scannedLogs>[0], lines: readonly string[]): Promise<string[]> {
  const { incidents } = JSON.parse(await scannedLogs(t, { 'llama.log': lines }, '--json')) as {
    incidents: { root: { kind: string } }[];
  };
  return incidents.map(({ root }) => root.kind).sort();
}

const MEMORY = [...TRACEBACK, 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.'];
const REFUSED = [...TRACEBACK, 'torch.distributed.DistBackendError: NCCL error in: NCCLUtils.hpp:275, unhandled system error, NCCL version 2.20.5', 'ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.', 'Last error:', 'socketStartConnect: Connect to 192.0.2.7<43217> failed : Connection refused']; // biome-ignore format: one line

for (const [what, lines, kind] of [
  [
    'an exception without a time above the watchdogs of its peers',
    [...MEMORY, WATCHDOG(0), WATCHDOG(1)],
    'job.gpu_oom',
  ],
  ['the last error of NCCL below the exception of a rank', ranked(3, REFUSED), 'job.bootstrap_timeout'],
] as const)
  test(`one incident: ${what}`, async (t) => {
    assert.deepEqual(await roots(t, lines), [kind]);
  });

test('two ranks that fail of two things in one moment are not one fault of the one or the other', async (t) => {
  const value = ['ValueError: the batch of this rank has no rows'];
  const found = await roots(t, [...ranked(3, MEMORY), ...ranked(5, [...TRACEBACK, ...value])]);
  assert.ok(found.includes('job.gpu_oom'), found.join());
});
