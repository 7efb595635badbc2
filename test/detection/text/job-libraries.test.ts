// Lines of libraries, launchers and engines in a job's log: what each reports, and which of them report nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobFaults } from '../../../src/detection/text/job/fault/job-faults.ts';

/** The kinds that the lines report, with what is held until the log ends. */
function reported(...lines: readonly string[]): string[] {
  const faults = new JobFaults();
  const kinds = lines.flatMap((line) =>
    faults.concerns(line) ? faults.line(line, 'log#', null, 0).map(({ kind }) => kind) : [],
  );
  return faults.unsure === null ? kinds : [...kinds, faults.unsure.kind];
}

test('a class of any name in a module of exceptions is one', () => {
  for (const line of [
    'google.api_core.exceptions.Forbidden: 403 GET https://storage.example/b/x: does not have storage.objects.get access',
    'requests.exceptions.ReadTimeout: HTTPSConnectionPool(host=storage.example, port=443): Read timed out. (read timeout=10)',
  ])
    assert.deepEqual(reported(line), ['job.rank_crashed'], line);
  for (const line of [
    'from google.api_core.exceptions.Forbidden: 403 is raised where access is missing',
    'google.api_core.exceptions.ServiceUnavailable: 503 Backend is busy, retrying in 2 s',
    'torch.nn.modules.linear.Linear: in_features=4096, out_features=4096, bias=False',
  ])
    assert.deepEqual(reported(line), [], line);
});

test('ggml reports one fault in three lines', () => {
  assert.deepEqual(
    reported(
      'CUDA error: out of memory',
      '  current device: 0, in function alloc at /build/ggml/src/ggml-cuda/ggml-cuda.cu:372',
      '  cuMemCreate(&handle, reserve_size, &prop, 0)',
      '/build/ggml/src/ggml-cuda/ggml-cuda.cu:88: CUDA error',
    ),
    ['job.gpu_oom'],
  );
});

test('what NCCL passes over does not end a rank', () => {
  assert.deepEqual(reported('gx-11:4711:4790 [3] transport/net_ib.cc:120 NCCL WARN NET/IB : Unable to open device mlx5_bond_0'), []); // biome-ignore format: one line
  assert.deepEqual(
    reported(
      'gx-11:4711:4790 [3] graph/topo.cc:1757 NCCL WARN NCCL_NET_MERGE_POLICY: unknown value x, defaulting to ALL',
    ),
    [],
  );
});

test('the head of a UCC or UCX line has a blank behind a short process number', () => {
  for (const pid of ['4711 ', '47111'])
    assert.deepEqual(reported(`[1764496800.123456] [gx-11:${pid}:0]     ucc_team.c:452  UCC  ERROR team create failed: Timed out`), ['job.rank_crashed']); // biome-ignore format: one line
});

test('a host without a GPU says so to programs built for one, and nothing is wrong', () => {
  for (const line of [
    '2026-11-28 12:00:00.123456: E external/local_xla/xla/stream_executor/cuda/cuda_driver.cc:282] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected',
    '2026-11-28 12:00:00.123 [W:onnxruntime:, session_state.cc:1166 VerifyEachNodeIsAssignedToAnEp] Some nodes were not assigned to the preferred execution providers',
  ])
    assert.deepEqual(reported(line), [], line);
});

test('devices that XLA said may be stuck, and then were not, are nothing to report', () => {
  const stuck =
    'E1128 12:00:00.123456 4711 rendezvous.cc:100] [id=0] This thread has been waiting for `acquire clique for rank 3` for 20 seconds and may be stuck: Expected 8 threads to join the rendezvous, but not all of them arrived on time.';
  assert.deepEqual(reported(stuck), ['job.collective_desync']);
  const unstuck =
    'E1128 12:00:05.123456 4711 rendezvous.cc:110] [id=0] This thread is unstuck after waiting for `acquire clique for rank 3` for 5 seconds. Perhaps the timeout is too short.';
  assert.deepEqual(reported(stuck, unstuck), []);
});
