// Lines of programs that no file of the catalogue is about: by the level of the line and the words of an end, and what only looks like them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { jobRecord, START_MS } from './lines.ts';

/** Also what counts only because the log then is silent. */
function reported(...lines: string[]): string[] {
  const decoder = new JobLineDecoder('llama', 'auto');
  const faults = lines.flatMap((text, i) => decoder.decode(jobRecord(text, i, START_MS + i * 10)).faults);
  return [...faults, ...decoder.flush().faults, ...decoder.settle(START_MS + 3_600_000)].map(({ kind }) => kind);
}

for (const [line, kind] of [
  ['CRITICAL 11-28 12:03:36 [executor.py:49] Executor got fatal signal from worker processes, shutting down.', 'job.rank_crashed'],
  ['2026-11-28 12:03:36,102 - trainer - CRITICAL - main loop died with an exception', 'job.rank_crashed'],
  ['[2026-11-28 12:03:36] [FATAL] loader: cannot continue, the index is lost', 'job.rank_crashed'],
  ['2026-11-28 12:03:36,102 - pool - ERROR - Worker 3 exited unexpectedly', 'job.rank_crashed'],
  ['2026-11-28 12:03:36,102 - store - ERROR - Failed to connect to node-1:29500 after 30 attempts', 'job.bootstrap_timeout'],
  ['[2026-11-28 12:05:13] [ERROR] [NVML] power get failed with status: GPUIsLost', 'gpu.lost'],
  ['HPL ERROR: CUDART Error: cudaMemcpyAsync(a, b, n, cudaMemcpyDeviceToDevice, s) = 700 (an illegal memory access was encountered) on gx-6 at (getrfs_mp.cu:750)', 'job.rank_crashed'],
  ['ls: cannot access \'/mnt/dataset/\': Stale file handle', 'storage.io_error'],
  ['[PID: 749] 2026-11-28-03:16:15.787.356 Get_Socket_Timeout(EI0006): Getting socket times out. Reason: 1. The remote does not initiate a connect request.', 'job.bootstrap_timeout'],
] as const) // biome-ignore format: a line a line
  test(`${line.slice(0, 70)}: ${kind}`, () => assert.deepEqual(reported(line), [kind]));

const STEP = (n: number) => `iteration ${n}/ 500 | elapsed time per iteration (ms): 234.5 | lm loss: 2.1E+00 |`;

test('a job that continues after such a line has not ended', () => {
  const line = '2026-11-28 12:03:36,102 - trainer - CRITICAL - evaluation failed for 3 of 12 tasks';
  assert.deepEqual(reported(line, STEP(100), STEP(101), STEP(102), STEP(103)), []);
});

for (const line of [
  'INFO 11-28 12:00:01 [config.py:12] log levels: FATAL=60 CRITICAL=50 ERROR=40; exit on FATAL errors is disabled',
  'NCCL_DEBUG=WARN TORCH_CPP_LOG_LEVEL=ERROR LOGLEVEL=CRITICAL',
  '# 2026-11-28 12:03:36 CRITICAL the worker died',
  '2026-11-28 12:03:36,102 - trainer - CRITICAL - 0 errors in 12 shards',
  '2026-11-28 12:03:36,102 - pool - ERROR - Worker 3 exited unexpectedly, restarting it',
  'tests/test_pool.py::test_error_when_worker_died_unexpectedly PASSED',
  '2026-11-28 12:00:01,103 - fault_tolerance - INFO - a worker that exited unexpectedly is restarted 3 times',
  'if NVML reports error GPU is lost, drain the node',
  'gx-01                      : ok=41   changed=3    unreachable=0    failed=0    skipped=12   rescued=0    ignored=1',
])
  test(`nothing is wrong: ${line.slice(0, 80)}`, () => assert.deepEqual(reported(line), []));
