// What a scan says to do about a crash that is not the program's alone: a bus error, a call under NCCL, a task that fell silent.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const scanned = (t: TestContext, name: string, lines: readonly string[]): Promise<string> =>
  scannedLogs(t, { [name]: lines });

test('a bus error sends to shared memory and to the kernel log of its host first, and is named once', async (t) => {
  const text = await scanned(t, 'sft.log', [
    'E1129 08:10:02.120000 711 torch/distributed/elastic/multiprocessing/api.py:870] failed (exitcode: -7) local_rank: 1 (pid: 733) of binary: /usr/bin/python',
    'Failures:',
    '  <NO_OTHER_FAILURES>',
    '------------------------------------------------------------',
    'Root Cause (first observed failure):',
    '[0]:',
    '  time      : 2026-11-29_08:10:02',
    '  host      : hx-17',
    '  rank      : 9 (local_rank: 1)',
    '  exitcode  : -7 (pid: 733)',
    '  error_file: <N/A>',
    '  traceback : Signal 7 (SIGBUS) received by PID 733',
    '============================================================',
  ]);
  assert.match(text, /rank crashed on sft rank 9: SIGBUS \(hx-17\)/);
  assert.match(text, /Effect +on sft rank 9 itself\n/);
  assert.match(text, /Now +on hx-17, df -h \/dev\/shm; sudo dmesg -T \| grep -iE 'memory failure\|hardware error/);
  assert.match(text, /Call +who runs the job sft; for its memory who runs hx-17\n/);
  assert.doesNotMatch(text, /can stay in service/);
});

test('fields that a logger puts behind a message hide none of its words', async (t) => {
  for (const fields of ['', ' rank=2', ' rank=2 span="start shard" pid=81']) {
    const text = await scanned(t, 'serve.log', [
      '2026-11-29T02:10:20.134459Z ERROR shard-manager: text_generation_launcher: Shard complete standard error output:',
      '',
      'torch.distributed.DistBackendError: NCCL error in: x.cpp:12, unhandled system error, NCCL version 2.19.3',
      'Last error:',
      `Error while creating shared memory segment /dev/shm/nccl-Qq11 (size 4194304)${fields}`,
    ]);
    assert.match(text, /Root cause +Unconfirmed: shared memory full/);
    assert.match(text, /--shm-size/);
  }
});

test('of a call that failed under NCCL it is not said that the program is at fault', async (t) => {
  const text = await scanned(t, 'serve.log', [
    '2026-11-29 02:10:20 Traceback (most recent call last):',
    '2026-11-29 02:10:20   File "a.py", line 3, in <module>',
    '2026-11-29 02:10:20 torch.distributed.DistBackendError: NCCL error in: x.cpp:12, unhandled system error, NCCL version 2.19.3',
  ]);
  assert.match(text, /find out which call failed under NCCL of serve/);
  assert.doesNotMatch(text, /the fault is in the program/);
});

const UNHEALTHY =
  'F1129 04:05:41.220400 14 pjrt_distributed.h:78] Terminating process because the JAX distributed service detected fatal errors. This most likely indicates that another task died; see the other task logs for more details. absl::Status: UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats):';
const TIMEOUT =
  '2026-11-29 04:05:41.568412: E external/xla/xla/tsl/distributed_runtime/coordination/coordination_service.cc:1170] /job:jax_worker/replica:0/task:5 has been set to ERROR in coordination service: UNAVAILABLE: Task /job:jax_worker/replica:0/task:5 heartbeat timeout. This indicates that the remote task has failed, got preempted, or crashed unexpectedly.';

test('a task of JAX that fell silent is named with its log and host, and asked for no dump of PyTorch', async (t) => {
  for (const lines of [[UNHEALTHY, '/job:jax_worker/replica:0/task:5'], [TIMEOUT]]) {
    const text = await scanned(t, 'proc.log', lines);
    assert.match(text, /task 5 sent no heartbeat/);
    assert.match(text, /(?:To find out +|Do +find out )why task 5 stopped/);
    assert.match(text, /Now +see the end of the log of task 5 \(process 5 of the job\), and on its host uptime/);
    assert.doesNotMatch(text, /flight-recorder|TORCH_|the fault is in the program/);
  }
});

test('a server that finds its GPU taken is given who holds it, and one that asks for too much to ask for less', async (t) => {
  const start = (free: string): readonly string[] => [
    'ERROR 11-29 03:12:01 [multiproc_executor.py:559] Traceback (most recent call last):',
    `ERROR 11-29 03:12:01 [multiproc_executor.py:559] ValueError: Free memory on device cuda:1 (${free}/79.11 GiB) on startup is less than desired GPU memory utilization (0.99, 78.3 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.`,
    'ERROR 11-29 03:12:04 [core.py:700] EngineCore failed to start.',
  ];
  const taken = await scanned(t, 'vllm.log', start('30.6'));
  assert.match(taken, /Do +see who holds 49 of the 79 GiB of the GPU that vllm is to start on/);
  assert.match(taken, /nvidia-smi --query-compute-apps=pid,used_memory,gpu_uuid --format=csv/);
  assert.doesNotMatch(taken, /--max-num-seqs|can stay in service/);
  const greedy = await scanned(t, 'vllm.log', start('78.1'));
  assert.match(greedy, /--gpu-memory-utilization at most 0\.98/);
});

test('an MPI daemon that is gone sends to its node, which the launcher names', async (t) => {
  const remote = [
    '  Remote daemon: [[31877,0],2] on node hx-44',
    '  Remote daemon: [prterun-hx-40-900@0,2] on node hx-44',
  ];
  for (const line of remote) {
    const text = await scanned(t, 'solve.out', [
      `${line.includes('prte') ? 'PRTE' : 'ORTE'} has lost communication with a remote daemon.`,
      '',
      '  HNP daemon   : [[31877,0],0] on node hx-40',
      line,
      '',
      'This is usually due to either a failure of the TCP network',
    ]);
    assert.match(text, /Do +see whether hx-44 is up/);
    assert.match(text, /Now +ping -c 3 hx-44; ssh hx-44 uptime/);
    assert.match(text, /Call +who runs hx-44\n/);
    assert.doesNotMatch(text, /hx-40 is up|first traceback/);
  }
});
