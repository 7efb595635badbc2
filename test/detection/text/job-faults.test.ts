// Faults in a job's log: whose they are, what they mean, and what is only the echo of another.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { peel } from '../../../src/detection/text/job/peel.ts';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { WallTimes } from '../../../src/model/wall-times.ts';
import { jobRecord, START_MS } from './lines.ts';

const STEP = ' iteration 7/ 100 | consumed samples: 8 | elapsed time per iteration (ms): 100.0 | lm loss: 2.1 |';
const RANKS = [8, 9, 10, 11];
const places = {
  host: 'node-1',
  rankOf: (_job: string, { number, means }: { number: number; means: string }) =>
    means === 'local' ? (RANKS[number] ?? null) : RANKS.includes(number) ? number : null,
};

/** Of a log that is declared to be Megatron's: what other trainers print of steps is left to what is read of any log. */
function faults(...lines: string[]): EventInput[] {
  const decoder = new JobLineDecoder('llama', 'megatron', new WallTimes(), places);
  return lines.flatMap((text, i) => [...decoder.decode(jobRecord(text, i, START_MS + i * 10)).faults]);
}

function reported(...lines: string[]): (readonly [string, string])[] {
  return faults(...lines).map(({ kind, component }) => [
    kind,
    component === null ? '' : `${component.type}/${component.id}`,
  ]);
}

test('a rank that aborts after its watchdog reported was ended by it, though the log has a step or two of others meanwhile', () => {
  const stall =
    '[rank9]: [Rank 9] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580, OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=60000) ran for 60060 milliseconds before timing out.';
  const abort =
    'E torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -6) local_rank: 1 (pid: 4711) of binary: /usr/bin/python3';
  const after = (...steps: string[]) => reported(stall, ...steps, abort).at(-1);
  assert.deepEqual(after(STEP, STEP), ['job.rank_killed', 'rank/llama/9']);
  assert.deepEqual(after(STEP, STEP, STEP), ['job.rank_crashed', 'rank/llama/9']);
});

test('a watchdog names its rank, its operation and how long it waited', () => {
  const [event] = faults(
    '[rank9]:[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607] [Rank 9] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580, OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.',
  );
  assert.equal(event?.kind, 'job.collective_timeout');
  assert.deepEqual(event?.component, { type: 'rank', id: 'llama/9', parent: 'job/llama', host: 'node-1' });
  assert.equal(event?.attributes?.sequence, 1580);
  assert.equal(event?.attributes?.operation, 'ALLREDUCE');
  assert.deepEqual(event?.interval, { earliestMs: START_MS - 600_060, latestMs: START_MS });
});

test('a rank that reacts to the signal of another blames that one and no other', () => {
  const line = (from: string) =>
    `[rank8]:[E804 23:05:54.8 ProcessGroupNCCL.cpp:1914] [PG ID 0 PG GUID 0(default_pg) Rank 8] Received a dump signal due to a collective timeout from ${from} and we will try our best to dump the debug info.`;
  assert.deepEqual(reported(line(' rank 13')), [['job.peer_failure', 'rank/llama/13']]);
  assert.deepEqual(reported(line('this local rank')), [['job.collective_timeout', 'rank/llama/8']]);
});

test('what the hook for uncaught exceptions prints is the end of its rank', () => {
  const found = reported(
    '[rank11]: Traceback (most recent call last):',
    '[rank11]:   File "/workspace/train.py", line 512, in <module>',
    '[rank11]:     main()',
    '[rank11]: RuntimeError: stack expects each tensor to be equal size',
  );
  assert.deepEqual(found, [['job.rank_crashed', 'rank/llama/11']]);
});

test('a traceback that was caught ends nothing; with the word of the launcher it does', () => {
  const caught = ['Traceback (most recent call last):', '  File "a.py", line 1, in f', 'ValueError: bad shard 7'];
  assert.deepEqual(reported(...caught), []);
  assert.deepEqual(
    reported(...caught, STEP, 'failed (exitcode: 1) local_rank: 2 (pid: 77) of binary: python').length,
    1,
  );
  const [event] = faults(...caught, 'failed (exitcode: 1) local_rank: 2 (pid: 77) of binary: /usr/bin/python3');
  assert.equal(event?.kind, 'job.rank_crashed');
  assert.equal(event?.component?.id, 'llama/10');
  assert.equal(event?.attributes?.exception, 'ValueError');
});

test('lines of other ranks between the lines of a traceback neither end it nor are taken for it', () => {
  const found = reported(
    '[rank8]: Traceback (most recent call last):',
    '[rank9]: Traceback (most recent call last):',
    '[rank8]:   File "a.py", line 1, in f',
    '[rank9]: KeyError: 3',
    '[rank8]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 4 has a total capacity of 79.10 GiB of which 1.17 GiB is free. Process 9911 has 70.88 GiB memory in use.',
  );
  assert.deepEqual(found, [
    ['job.rank_crashed', 'rank/llama/9'],
    ['job.gpu_oom', 'rank/llama/8'],
  ]);
});

const MEANINGS: readonly (readonly [line: string, kind: string, place: string])[] = [
  ['torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 31/32 clients joined.', 'job.bootstrap_timeout', 'job/llama'],
  ['torch.distributed.DistNetworkError: The client socket has timed out after 300000ms while trying to connect to (m, 29500).', 'job.bootstrap_timeout', 'job/llama'],
  ['ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.', 'job.peer_failure', 'job/llama'],
  ['RuntimeError: Detected mismatch between collectives on ranks. Rank 10 is running collective: CollectiveFingerPrint(', 'job.collective_mismatch', 'job/llama'],
  ['OSError: [Errno 28] No space left on device', 'host.disk_full', 'host/node-1'],
  ["OSError: [Errno 122] Disk quota exceeded: '/home/a/ckpt/__0_0.distcp'", 'host.disk_full', 'job/llama'],
  ['RuntimeError: [enforce fail at inline_container.cc:857] . PytorchStreamWriter failed writing file data/37: file write failed', 'job.checkpoint_failed', 'job/llama'],
  ['RuntimeError: CUDA error: uncorrectable ECC error encountered', 'gpu.memory.uncorrectable', ''],
  ['RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution', 'nvlink.fatal', ''],
  ['RuntimeError: The NVIDIA driver on your system is too old (found version 12040). Please update', 'gpu.driver_unsupported', 'host/node-1'],
  ["    [1] finished collective #2, but didn't join collective #3 (count from 1)", 'job.collective_desync', 'rank/llama/1'],
  ['node-1:3468:3905 [4] net_ib.cc:1905 NCCL WARN NET/IB : Got completion from peer 192.0.2.236<54862> with status=12 opcode=0 len=0 vendor err 129 (Recv)', 'net.rdma_retry_exceeded', 'job/llama'],
  ['gx-61: [2026-11-30 05:00:00] gx-61:1911:2010 [0] misc/ibvwrap.cc:262 NCCL WARN Call to ibv_modify_qp failed with error Connection timed out errno 110', 'net.rdma_setup_failed', 'job/llama'],
  ['jaxlib.xla_extension.XlaRuntimeError: DEADLINE_EXCEEDED: Deadline Exceeded; UNAVAILABLE: failed to connect to all addresses; last error: UNKNOWN: ipv4:192.0.2.1:8476: Failed to connect to remote host: Connection refused', 'job.bootstrap_timeout', 'job/llama'],
  ['node-1:1:2 [0] NCCL WARN NET/IB : mlx5_4:1 Got async event : port error', 'nic.port_down', ''],
  // aws-ofi-nccl's nccl_ofi_rdma.cpp, with the words of libfabric's efa_errno.h
  ['node-1:9:12 [0] NCCL WARN NET/OFI Request 0x7f21 seq 12 completed with error. RC: 103. Error: 4126 (Unresponsive receiver (reachable by EFA device but handshake failed)). Completed length: 0', 'net.rdma_retry_exceeded', 'job/llama'],
  ['node-1:9:12 [3] NCCL WARN NET/OFI Request 0x7f3b completed with error. RC: 113. Error: 4124 (Unresponsive receiver (connection previously established)). Completed length: 0', 'net.connection_reset', 'job/llama'],
  ['node-1:9:12 [3] NCCL WARN NET/OFI Request 0x7f3b completed with error. RC: 113. Error: 4116 (Unresponsive receiver: peer may be unreachable or its connection was reset). Completed length: 0', 'net.connection_reset', 'job/llama'],
  ['node-1:9:12 [0] NCCL WARN NET/OFI Request 0x7f21 completed with error. RC: 113. Error: 15 (Unreachable remote (never received a response)). Completed length: 0', 'net.rdma_retry_exceeded', 'job/llama'],
  ['node-1:1:2 [0] misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/nccl-Xk2p9 to 33030532 bytes, error: No space left on device (28)', 'host.shm_full', 'host/node-1'],
  ['node-1:15:91 [3] include/socket.h 398 NCCL WARN Call to recv failed : Connection reset by peer.', 'net.connection_reset', 'job/llama'],
  ['slurmstepd: error: *** STEP 4411.0 ON node-1 CANCELLED AT 2026-11-28T12:01:10 DUE TO PREEMPTION ***', 'job.preempted', 'job/llama'],
  ['slurmstepd: error: *** JOB 4411 ON node-1 CANCELLED AT 2026-11-28T12:01:10 DUE TO TIME LIMIT ***', 'job.cancelled', 'job/llama'],
  ['slurmstepd: error: *** JOB 4411 ON node-1 CANCELLED AT 2026-11-28T12:01:10 ***', 'job.cancelled', 'job/llama'],
  ['srun: error: Node failure on node-9', 'host.down', 'host/node-9'],
  ['srun: error: node-1: task 9: Out Of Memory', 'job.rank_killed', 'rank/llama/9'],
  ['W1128 12:01:10.9 4711 torch/distributed/elastic/agent/server/api.py:719] Received Signals.SIGTERM death signal, shutting down workers', 'job.rank_killed', 'job/llama'],
  ["{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 1.9e-05, 'epoch': 0.41}", 'job.nan', 'job/llama'],
]; // biome-ignore format: one line each

for (const [line, kind, place] of MEANINGS)
  test(`"${line.slice(0, 60)}" is ${kind}`, () => assert.deepEqual(reported(line), [[kind, place]]));

test('a line of a card has its name and the host that printed it', () => {
  const said = (line: string) => faults(line).map(({ attributes }) => [attributes?.device, attributes?.printed_on]);
  const port = 'NCCL WARN NET/IB : mlx5_4:1 Got async event : port error';
  assert.deepEqual(said(`node-1.example:1:2 [0] ${port}`), [['mlx5_4', 'node-1.example']]);
  const fatal = '[node-7:31180:0]       ib_device.c:513  UCX  ERROR IB Async event on mlx5_2: device fatal';
  assert.deepEqual(said(fatal), [['mlx5_2', 'node-7']]);
});

test('an exception that was not caught ends its rank, also where it speaks of the host, and where its traceback was lost', () => {
  assert.deepEqual(reported("[rank9]: OSError: [Errno 28] No space left on device: '/ckpt/a'"), [
    ['host.disk_full', 'host/node-1'],
    ['job.rank_crashed', 'rank/llama/9'],
  ]);
  assert.deepEqual(reported("[rank9]: KeyError: 'tokens'"), [['job.rank_crashed', 'rank/llama/9']]);
  // What a launcher's tee or the program's own log puts before a line says nothing of how its process ended.
  assert.deepEqual(reported("[rank9]:KeyError: 'tokens'"), []);
  assert.deepEqual(reported("skipped a sample: KeyError: 'tokens'"), []);
});

test('a worker of the data loader that dies for shared memory takes its rank with it', () => {
  const line = 'RuntimeError: DataLoader worker (pid 56811) is killed by signal: Bus error. It is possible that';
  const full = ['host.shm_full', 'host/node-1'];
  assert.deepEqual(reported(line), [full, ['job.rank_crashed', 'job/llama']]);
  assert.deepEqual(reported(`[rank9]: ${line}`), [full, ['job.rank_crashed', 'rank/llama/9']]);
});

test('launchers of other kinds report how a worker ended', () => {
  const deepspeed =
    "[2026-11-28 12:00:54,190] [ERROR] [launch.py:325:sigkill_handler] ['/usr/bin/python3', '-u', 'train.py', '--local_rank=3', '--deepspeed'] exits with return code = -9";
  const mpi = 'mpirun noticed that process rank 9 with PID 77 on node node-1 exited on signal 11 (Segmentation fault).';
  // The command is the last that the launcher started, whichever worker ended.
  assert.deepEqual(reported(deepspeed), [['job.rank_killed', 'job/llama']]);
  assert.deepEqual(reported(mpi), [['job.rank_crashed', 'rank/llama/9']]);
});

test('schedulers of other kinds report limits', () => {
  assert.deepEqual(reported('TERM_RUNLIMIT: job killed after reaching LSF run time limit.'), [
    ['job.cancelled', 'job/llama'],
  ]);
  assert.deepEqual(reported('=>> PBS: job killed: walltime 3605 exceeded limit 3600'), [
    ['job.cancelled', 'job/llama'],
  ]);
  assert.deepEqual(reported('slurmstepd: error: Detected 1 oom_kill event in StepId=771.0. Some of the step tasks'), [
    ['host.oom', 'host/node-1'],
  ]);
});

test('memory of the GPU that a program tried for in vain and reports in passing ends nothing', () => {
  assert.deepEqual(
    reported('Batch size 64 failed: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB.'),
    [],
  );
  assert.deepEqual(reported('CUDA out of memory. Tried to allocate 2.26 GiB (GPU 0; 6.00 GiB total capacity)'), [
    ['job.gpu_oom', 'job/llama'],
  ]);
});

test('a rank that ends because its peer is gone accuses the connection, not itself', () => {
  const ends = (last: string) =>
    reported('[rank9]: Traceback (most recent call last):', '[rank9]:   File "a.py", line 1, in f', `[rank9]: ${last}`);
  const gone = [['net.connection_reset', 'rank/llama/9']];
  assert.deepEqual(
    ends('RuntimeError: [gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.4.0.9]:51123'),
    gone,
  );
  assert.deepEqual(
    ends(
      'torch.distributed.DistBackendError: NCCL error in: a.hpp:328, remote process exited or there was a network error, NCCL version 2.21.5',
    ),
    gone,
  );
  assert.deepEqual(reported('Failed to check the "should dump" flag on TCPStore, with error: Broken pipe'), []);
});

test('one exception is one event, and its class and its errno say of what', () => {
  const of = (line: string) => reported(line);
  const taken =
    'torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use';
  assert.deepEqual(of(taken), [['job.rank_crashed', 'job/llama']]);
  // A socket that falls back to another family of addresses has failed as well, and says so.
  assert.deepEqual(of('[W socket.cpp:464] [c10d] The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use).'), []); // biome-ignore format: one call
  assert.deepEqual(of('[W socket.cpp:663] [c10d] The client socket has failed to connect to [::1]:29500 (errno: 99 - Cannot assign requested address).'), []); // biome-ignore format: one call
  for (const words of [
    'torch.distributed.DistStoreError: wait timeout after 600000ms, keys: /default_pg/0//cuda//0',
    'torch.distributed.DistNetworkError: The IPv6 network addresses of (head, 29500) cannot be retrieved (gai error: -2 - Name or service not known).',
  ])
    assert.deepEqual(of(words), [['job.bootstrap_timeout', 'job/llama']], words);
  for (const words of [
    'torch.cuda.OutOfMemoryError: CUDA out of memory.',
    'RuntimeError: CUDA out of memory.',
    'RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`',
    'RuntimeError: CUDA driver error: out of memory',
    'jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Failed to allocate request for 2.0GiB',
    'ray.exceptions.RayTaskError(OutOfMemoryError): ray::WorkerDict.step() (pid=26103, ip=192.0.2.8)',
    "RuntimeError: Worker failed with error 'CUDA out of memory. Tried to allocate 2.00 GiB.', please check the stack trace above for the root cause",
  ])
    assert.deepEqual(of(words), [['job.gpu_oom', 'job/llama']], words);
});

test('a connection that some library lost is not that of a peer: where it ends a rank, the rank crashed', () => {
  const reset = 'ConnectionResetError: [Errno 104] Connection reset by peer';
  assert.deepEqual(reported(reset), []);
  assert.deepEqual(reported('[rank9]: Traceback (most recent call last):', '[rank9]:   File "a.py", line 1, in f', `[rank9]: ${reset}`), [['job.rank_crashed', 'rank/llama/9']]); // biome-ignore format: one call
});

test("srun's number of a task is that of a node where torchrun, DeepSpeed or JAX was the task", () => {
  const task = 'srun: error: node-1: task 9: Exited with exit code 1';
  assert.deepEqual(reported(task), [['job.rank_crashed', 'rank/llama/9']]);
  for (const launcher of [
    'W0604 20:57:27.620000 71 torch/distributed/run.py:766] Traceback',
    'torch.distributed.elastic.multiprocessing.errors.ChildFailedError:',
    '[2026-11-28 12:00:54,190] [ERROR] [launch.py:325:sigkill_handler] exits with return code = 0',
    'jax.errors.JaxRuntimeError: INTERNAL: x',
  ])
    assert.deepEqual(reported(launcher, task).at(-1), ['job.rank_crashed', 'job/llama'], launcher);
});

test("the report of Open MPI's launcher names the rank that ended first, in one line or two", () => {
  const rank = [['job.rank_crashed', 'rank/llama/9']];
  assert.deepEqual(reported('   Process name: [prterun-node-1-3312@1,9] Exit code:    1'), rank);
  assert.deepEqual(reported('  Process name: [[51234,1],9]', '  Exit code:    1'), rank);
  assert.deepEqual(reported('  Exit code:    1'), []);
});

test('what a launcher does to the workers that are left is not a fault of theirs', () => {
  assert.deepEqual(reported('api.py:897] Sending process 48301 closing signal SIGTERM'), []);
  assert.deepEqual(reported('failed (exitcode: -15) local_rank: 1 (pid: 77) of binary: python'), []);
});

test('the summary of torchrun names the rank that its first line only counts on this host', () => {
  const found = faults('  rank      : 10 (local_rank: 2)', '  exitcode  : -9 (pid: 14750)');
  assert.deepEqual(
    found.map(({ kind, component, attributes }) => [kind, component?.id, attributes?.pid]),
    [['job.rank_killed', 'llama/10', 14750]],
  );
});

test('ranks that end in any order complain of each other; after the end that is not news', () => {
  const gone =
    '[rank9]:[W625 23:35:35.3 TCPStore.cpp:125] [c10d] recvValue failed on SocketImpl(fd=6, addr=[a]:37468, remote=[b]:6006): failed to recv, got 0 bytes';
  assert.deepEqual(reported(gone), [['net.connection_reset', 'job/llama']]);
  assert.deepEqual(reported('[after training is done] datetime: 2026-11-28', gone), [['job.ended', 'job/llama']]);
});

test('a gradient that is a number again ends what was reported', () => {
  const line = (norm: string) => `{'loss': 1.2, 'grad_norm': ${norm}, 'learning_rate': 1e-05, 'epoch': 0.4}`;
  const states = faults(line('0.9'), line('nan'), line('nan'), line('1.1')).map(({ kind, state }) => [kind, state]);
  assert.deepEqual(states, [
    ['job.nan', 'onset'],
    ['job.nan', 'clear'],
  ]);
});

test('an exception of C++ that was not caught ends its rank', () => {
  const lines = [
    "[default3]:terminate called after throwing an instance of 'c10::CUDAError'",
    '[default3]:  what():  CUDA error: unknown error',
  ];
  assert.deepEqual(reported(...lines), [['job.rank_crashed', 'rank/llama/11']]);
});

test('a local number without configured ranks names no rank', () => {
  const decoder = new JobLineDecoder('llama');
  const line = 'failed (exitcode: -9) local_rank: 3 (pid: 812917) of binary: /opt/env/bin/python';
  const [event] = decoder.decode(jobRecord(line)).faults;
  assert.deepEqual(event?.component, { type: 'job', id: 'llama' });
  assert.equal(event?.attributes?.local_rank, 3);
});

test('ordinary lines that speak of errors report no fault', () => {
  for (const line of [
    'error_rate: 0.0, retries: 0',
    'INFO: no errors found in 12 shards',
    'Sequence group 12 is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space.',
    'NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB',
    // aws-ofi-nccl prints this of every failed request: these words name no peer that does not answer.
    'node-1:9:12 [2] NCCL WARN NET/OFI Request 0x7f2c completed with error. RC: 22. Error: 5 (Local key (LKEY) invalid or does not match IOVA). Completed length: 0',
    'NCCL version 2.21.5+cuda12.4',
    'UserWarning: torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly',
    '[rank8]:[W ProcessGroupNCCL.cpp:1496] Warning: destroy_process_group() was not called before program exit',
  ])
    assert.deepEqual(reported(line), [], line);
});

test('no text breaks the decoder, and every fault has its trust and its evidence', () => {
  const words = ['[rank3]: ', 'Traceback (most recent call last):', 'RuntimeError: ', 'failed (exitcode: ', '-9', ') local_rank: ', '[c10d] ', 'NCCL WARN ', 'Watchdog caught collective operation timeout: ', 'SeqNum=', '  rank      : ', "{'loss': ", '*** STEP ', ' CANCELLED AT ', '\u0000', '99999999999999999999']; // biome-ignore format: one line
  const piece = fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 40 }));
  fc.assert(
    fc.property(fc.array(fc.array(piece, { maxLength: 8 }), { maxLength: 20 }), (lines) => {
      for (const event of faults(...lines.map((pieces) => pieces.join('')))) {
        assert.equal(event.trust, 'tenant');
        assert.equal(event.evidence?.length, 1);
      }
    }),
  );
});

test('what a test runner prints of its tests is about faults, and none of them', () => {
  const error = 'RuntimeError: CUDA error: uncorrectable ECC error encountered';
  const results = [
    `tests/test_ecc.py::test_double_bit_error XFAIL (expected ${error})`,
    `FAILED tests/test_ecc.py::test_double_bit_error[H100] - ${error}`,
    `[gw3] [ 62%] PASSED tests/test_disk.py::test_raises[OSError: [Errno 28] No space left on device] `,
    'tests/test_net.py::test_message[RuntimeError: Connection closed by peer [::1]] PASSED [ 12%]',
    `[rank0]: test_no_space (tests.test_disk.TestDisk.test_no_space) ... ok`,
    '[       OK ] Ecc.uncorrectable ECC error encountered (3 ms)',
    '    --- PASS: TestErr/OSError:_[Errno_28] No space left on device (0.00s)',
    'ok 3 - OSError: [Errno 28] No space left on device',
  ];
  for (const line of results) assert.deepEqual(reported(line), [], line);
  assert.deepEqual(reported(`Note: restart after \`${error}\` was seen`), []);
  assert.deepEqual(reported('see the guide: what to do on an uncorrectable ECC error of a GPU'), []);
  // The error itself, in the words of the program and of NCCL.
  assert.deepEqual(reported(error), [['gpu.memory.uncorrectable', '']]);
  assert.deepEqual(
    reported("n:1:2 [0] enqueue.cc:11 NCCL WARN Cuda failure 214 'uncorrectable ECC error encountered'"),
    [['gpu.memory.uncorrectable', '']],
  );
});

const ENGINE_DEAD = [
  '(EngineCore_DP0 pid=41) ERROR 11-28 09:00:01 [core.py:700] EngineCore encountered a fatal error.',
  '(APIServer pid=1) ERROR 11-28 09:00:01 [async_llm.py:420] Traceback (most recent call last):',
  '(APIServer pid=1) ERROR 11-28 09:00:01 [async_llm.py:420] vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.',
];

test('a worker of vLLM is the rank that its prefix names', () => {
  for (const worker of ['VllmWorker rank=2 pid=52', 'VllmWorker TP2 pid=52', 'Worker_TP2 pid=52'])
    assert.deepEqual(peel(`(${worker}) ERROR 11-28 09:00:00 [a.py:5] RuntimeError: words`).label, {
      number: 2,
      means: 'global',
    });
});

test('that an engine is gone is not said besides the worker whose GPU failed', () => {
  const found = faults(
    '(Worker_TP2 pid=52) ERROR 11-28 09:00:00 [multiproc_executor.py:654] torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered',
    ...ENGINE_DEAD,
  );
  assert.deepEqual(
    found.map(({ kind, attributes }) => [kind, attributes?.rank]),
    [['gpu.memory.uncorrectable', 2]],
  );
});
