// What programs print on an ordinary day, and what is written about their errors: nothing of it is reported. And tracebacks without a head.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { jobRecord, START_MS } from './lines.ts';

const ORDINARY: readonly string[] = [
  'If you see "RuntimeError: CUDA error: no kernel image is available for execution on the device", reinstall PyTorch.',
  '# RuntimeError: CUDA error: invalid device function',
  'except RuntimeError as e:  # CUDA error: out of memory',
  'The error `MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD` means that a rank called MPI_Abort.',
  'WARNING:root:retrying after RuntimeError: CUDA error: out of memory? no, continuing',
  'INFO 11-28 12:02:25 [config.py:100] Heartbeat monitor timed out is configured to 480 s',
  '[rank0]:[W1128 12:00:00 ProcessGroupNCCL.cpp:3703] Warning: TORCH_NCCL_AVOID_RECORD_STREAMS=1 has no effect',
  '[rank0]:[I1128 12:00:00 ProcessGroupNCCL.cpp:780] [PG 0 Rank 0] ProcessGroupNCCL initialization options: size: 8, global rank: 0, TIMEOUT(ms): 600000, USE_HIGH_PRIORITY_STREAM: 0',
  '[I ProcessGroupNCCL.cpp:874] [Rank 0] Destroyed 1communicators on CUDA device 0',
  '[I ProcessGroupNCCL.cpp:852] [Rank 0] NCCL watchdog thread terminated normally',
  '[I1128 12:00:00 ProcessGroupNCCL.cpp:1174] [PG 0 Rank 0] future is successfully executed for: ProcessGroup abort',
  "2026-11-28 12:00:00: W external/xla/xla/hlo/transforms/simplifiers/hlo_rematerialization.cc:3020] Can't reduce memory use below 17.64GiB (18939748123 bytes) by rematerialization; only reduced to 20.48GiB",
  '2026-11-28 12:00:00: E external/local_xla/xla/stream_executor/cuda/cuda_fft.cc:485] Unable to register cuFFT factory: Attempting to register factory for plugin cuFFT when one has already been registered',
  '2026-11-28 12:00:00: E external/local_xla/xla/stream_executor/cuda/cuda_driver.cc:152] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: UNKNOWN ERROR (303)',
  '2026-11-28 12:00:00.1: I tensorflow/core/framework/local_rendezvous.cc:405] Local rendezvous is aborting with status: OUT_OF_RANGE: End of sequence',
  'I1128 12:00:00.1 140 xla_bridge.py:863] Unable to initialize backend \'rocm\': NOT_FOUND: Could not find registered platform with name: "rocm". Available platform names are: CUDA',
  "I1128 12:00:00.1 140 xla_bridge.py:863] Unable to initialize backend 'tpu': INTERNAL: Failed to open libtpu.so: libtpu.so: cannot open shared object file: No such file or directory",
  '[1736788625.693157] [node-1:521140:0]          select.c:630  UCX  ERROR   no active messages transport to <no debug data>: self/memory - Destination is unreachable',
  '[1736788625.693157] [node-1:521140:0]        mm_xpmem.c:103  UCX  ERROR 3 xpmem remote segments were not released at exit',
  'node-1:1:2 [0] transport/net_ib.cc:234 NCCL WARN NET/IB : Got async event : client reregistration',
  'node-1:1:2 [0] init.cc:1200 NCCL WARN Cannot initialize CollNet, using point-to-point network instead',
  'node-1:1:2 [0] init.cc:310 NCCL WARN NCCL_WORK_FIFO_BYTES=3000 is being ignored because it is not a power of 2.',
  'node-1:1:2 [0] proxy.cc:1700 NCCL WARN [Service thread] Error encountered progressing operation=Connect, res=3, closing connection',
  'slurmstepd: error: pyxis: epilog: container 4411.0 was not removed',
  'slurmstepd: error: pyxis: printing enroot log file:',
  'node-1:1:2 [0] NCCL INFO NET/IB : No device found.',
  'node-1:1:2 [0] NCCL INFO Failed to open libibverbs.so[.1]',
  'node-1:1:2 [0] NCCL INFO [Service thread] Connection closed by localRank 0',
  'node-1:1:2 [0] NCCL INFO comm 0x55 rank 0 nranks 8 cudaDev 0 busId 1000 - Destroy COMPLETE',
  'node-1:1:2 [0] NCCL INFO Could not enable P2P between dev 1(=2000) and dev 0(=1000)',
  'node-1:1:2 [0] NCCL INFO P2P is disabled between connected GPUs 0 and 1. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1.',
  'node-1:1:2 [0] graph/search.cc:1135 NCCL WARN Could not find a path for pattern 4, falling back to simple order',
  'node-1:1:2 [0] init.cc:1690 NCCL WARN MSCCL++: Cannot enable MSCCL++ on non-gfx94x architecture',
  '[node-1:12345] 7 more processes have sent help message help-mpi-btl-openib.txt / no device params found',
  '[1763000000.123] [node-1:123:0]          parser.c:2036 UCX  WARN  unused environment variables: UCX_HOME; UCX_DIR (maybe: UCX_TLS?)',
  '[2026-11-28 12:00:00,331 W 6521 6521] (raylet) file_system_monitor.cc:95: /tmp/ray is over 90% full',
  '(raylet) [2026-11-28 12:00:00,331 I 6521 6521] (raylet) node_manager.cc:520: Driver exited, worker disconnected',
  '/usr/lib/python3.10/multiprocessing/resource_tracker.py:224: UserWarning: resource_tracker: There appear to be 20 leaked semaphore objects to clean up at shutdown',
  'UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`',
  'UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 11040).',
  '[2026-11-28 12:00:00,123] [WARNING] [stage3.py:1949:step] 3 pytorch allocator cache flushes since last step. this happens when there is high memory pressure and is detrimental to performance.',
  '`use_cache=True` is incompatible with gradient checkpointing. Setting `use_cache=False`...',
  'INFO 11-28 12:02:25 [cuda.py:290] Cannot use FlashAttention backend because the flash_attn package is not found',
  "WARNING 11-28 12:02:25 [custom_all_reduce.py:137] Custom allreduce is disabled because it's not supported on more than two PCIe-only GPUs.",
  '[2026-11-28 12:02:25 TP0] Capture cuda graph begin. This can take up to several minutes. avail mem=10.53 GB',
  'INFO:     127.0.0.1:47588 - "POST /v1/completions HTTP/1.1" 500 Internal Server Error',
  "slurmstepd: error: couldn't chdir to `/home/x': No such file or directory: going to /tmp instead",
  "srun: warning: can't honor --ntasks-per-node set to 8 which doesn't match the requested tasks 4 with the number of requested nodes 1. Ignoring --ntasks-per-node.",
  'srun: job 4411 queued and waiting for resources',
  'Loss is 2.31, step 4',
  'slurmstepd: error: Exceeded step memory limit at some point. Step may have been partially swapped out to disk.',
  'slurmstepd: error: Exceeded job memory limit at some point.',
  '[1]  + 83815 terminated  python train.py',
  '[1]    83815 killed     tail -f train.log',
  '[1]+  Killed                  watch nvidia-smi',
  '[1]+  Done                    python train.py',
  '[1]    83815 segmentation fault in libfoo was fixed in 2.1',
  'zsh: command not found: torchrun',
  "fish: Job 1, 'python train.py' terminated by signal SIGINT (Quit request from job control with Ctrl-C (^C))",
  '2026-11-28 12:00:41.656900: E external/xla/xla/pjrt/distributed/client.cc:96] Coordination service agent in error status: DEADLINE_EXCEEDED: Deadline Exceeded',
  '[node-1:123:0:123] Caught signal 15 (Terminated)',
];

/** Kinds that the lines report, those of an exception that the log ended with among them. */
function kinds(...lines: string[]): string[] {
  const decoder = new JobLineDecoder('llama');
  const seen = lines.flatMap((line, i) => {
    const { faults, events } = decoder.decode(jobRecord(line, i, START_MS + i * 10));
    return [...faults, ...events];
  });
  return [...seen, ...decoder.flush().faults, ...decoder.settle(START_MS + 3_600_000)].map(({ kind }) => kind);
}

for (const line of ORDINARY) test(`nothing is wrong: ${line.slice(0, 80)}`, () => assert.deepEqual(kinds(line), []));

const FRAMES = ['  File "train.py", line 12, in load', '    x = json.load(f)'];

test('an exception under frames ended its process, also where the head of its traceback was cut off', () => {
  assert.deepEqual(kinds(...FRAMES, 'json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)'), [
    'job.rank_crashed',
  ]);
  assert.deepEqual(kinds(...FRAMES, 'torch._dynamo.exc.BackendCompilerFailed: backend raised'), ['job.rank_crashed']);
  assert.deepEqual(kinds('KeyError: 7'), []);
});

test('an exception alone ended its process where it is the last word, is a sentence, and was not caught', () => {
  const said = 'RuntimeError: query and key must have the same dtype';
  const step = (n: number) => `iteration ${n}/ 500 | elapsed time per iteration (ms): 234.5 | lm loss: 2.1E+00 |`;
  assert.deepEqual(kinds(said), ['job.rank_crashed']);
  assert.deepEqual(kinds(said, step(100), step(101), step(102), step(103)), []);
  assert.deepEqual(kinds(`WARNING:loader:${said}`), []);
  assert.deepEqual(kinds('ConnectionError: the store is out of reach, retrying in 5 s'), []);
  assert.deepEqual(kinds('OSError: shard 7 is damaged; skipping it'), []);
});

test('frames of a stack that was printed, or of what was caught, end nothing', () => {
  const step = (n: number) => `iteration ${n}/ 500 | elapsed time per iteration (ms): 234.5 | lm loss: 2.1E+00 |`;
  assert.deepEqual(kinds(...FRAMES, 'KeyError: 7', step(100), step(101), step(102), step(103)), []);
  assert.deepEqual(kinds('Stack (most recent call last):', ...FRAMES, 'INFO:root:all is well'), []);
});

test('a message behind a long bar is read', () => {
  const bar =
    'Epoch 0:   6%|██     | 32040/500150 [6:28:43<94:39:17,  1.37it/s, loss=2.6, v_num=95nc, reduced_train_loss=2.590, global_step=3.2e+4, consumed_samples=2.56e+7]';
  const words =
    '[E ProcessGroupNCCL.cpp:458] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1800003 milliseconds before timing out.';
  assert.deepEqual(kinds(`${bar}${words}`), ['job.collective_timeout']);
});

test('the summary of a run of W&B is its last step', () => {
  const summary =
    '{"train/loss":2.31,"train/global_step":999,"_step":999,"_timestamp":1764300000.5,"_runtime":321.5,"lr":1e-5,"_wandb":{"runtime":321}}';
  const { steps } = new JobLineDecoder('llama').decode(jobRecord(summary));
  const { iteration, loss, learning_rate: rate } = steps[0]?.progress ?? {};
  assert.deepEqual([iteration, loss, rate], [999, 2.31, 1e-5]);
});
