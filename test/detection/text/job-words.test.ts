// Words of launchers, schedulers and frameworks: behind any prefix, of the right rank, and what of them is only the consequence.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peel } from '../../../src/detection/text/job/peel.ts';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { WallTimes } from '../../../src/model/wall-times.ts';
import { jobRecord, START_MS } from './lines.ts';

const places = { host: 'node-1', rankOf: (_job: string, { number, means }: { number: number; means: string }) => (means === 'local' ? number + 8 : number) }; // biome-ignore format: one line

function all(...lines: string[]): EventInput[] {
  const decoder = new JobLineDecoder('llama', 'auto', new WallTimes(), places);
  return lines.flatMap((text, i) => {
    const { faults, events } = decoder.decode(jobRecord(text, i, START_MS + i * 10));
    return [...faults, ...events];
  });
}

function reported(...lines: string[]): string[] {
  return all(...lines).map(
    ({ kind, component }) => `${kind} ${component === null ? '-' : `${component.type}/${component.id}`}`,
  );
}

const OOM = 'RuntimeError: CUDA error: out of memory';

test('a line is read behind whatever launchers, loggers and collectors put before it', () => {
  const prefixes = [
    '',
    '(main_task pid=1748945) ',
    '(WorkerDict pid=1751030, ip=192.0.2.91) ',
    '3: ',
    ' 12: ',
    '[1,3]<stderr>:',
    '[prterun-node-1-77@1,3]<stderr>: ',
    '[default3]:',
    '[trainer0]:[rank3]: ',
    '[rank: 3] ',
    '2026-11-29T02:06:38.331Z ',
    '2026-11-29T02:06:38.331123456Z stderr F ',
    '2026-11-29 02:06:38,331 ',
    '[2026-11-29 02:06:38,331] ',
    '[2026-11-28 12:02:22 TP0] ',
    'ERROR 11-28 12:02:25 [core.py:710] ',
    '[pod/trainer-0/pytorch] ',
    'trainer-1  | ',
    'worker-1: ',
    '2026-11-29T02:06:38Z stderr F [default3]:[rank3]: ',
    '(EngineCore_0 pid=17) ERROR 11-28 12:02:25 [core.py:710] ',
  ];
  for (const prefix of prefixes) {
    const [event, ...more] = all(`${prefix}${OOM}`);
    assert.equal(event?.kind, 'job.gpu_oom', prefix);
    assert.deepEqual(more, [], prefix);
  }
});

test('what is left of a line keeps its own blanks, names and times', () => {
  assert.equal(peel('(main_task pid=17)   File "a.py", line 3, in f').body, '  File "a.py", line 3, in f');
  assert.equal(peel('slurmstepd-node-a: error: Detected 1').body, 'slurmstepd-node-a: error: Detected 1');
  assert.equal(
    peel('torch.distributed.DistBackendError: NCCL error').body,
    'torch.distributed.DistBackendError: NCCL error',
  );
  assert.equal(peel('    [1] finished collective #2').body, '    [1] finished collective #2');
  assert.deepEqual(peel('[1,114]<stderr>:x').label, { number: 114, means: 'global' });
});

test('tracebacks of several workers of Ray in one log are kept apart by their process', () => {
  const of = (pid: number, text: string) => `(Worker pid=${pid}) ${text}`;
  const found = reported(
    of(1, 'Traceback (most recent call last):'),
    of(2, 'Traceback (most recent call last):'),
    of(1, '  File "a.py", line 1, in f'),
    of(2, '  File "b.py", line 1, in g'),
    of(2, 'KeyError: 3'),
    of(1, OOM),
  );
  assert.deepEqual(found, ['job.gpu_oom job/llama']);
});

test('a rank that the message names is the rank of the fault', () => {
  const forward = 'found NaN in local forward loss calculation';
  for (const line of [
    `[rank3]: RuntimeError: Rank 114, node node-7, device 2, iteration 1201: Unexpected result nan (message='found NaN in local grad norm for bucket #0 in backward pass before data-parallel communication collective')`,
    `Unexpected result nan on rank 114 at iteration #1201 invocation #1 (message='${forward}')`,
    `Unexpected result tensor(nan, device='cuda:2') on rank 114 at iteration #1201 invocation #1 (message='${forward}')`,
    `AssertionError: Rank 114: ${forward}. Device: 2, node: node-7`,
    `[rank114]: AssertionError: Rank 114: ${forward}. Device: 2, node: node-7`,
  ])
    assert.deepEqual(reported(line), ['job.nan rank/llama/114'], line);
  const bucket =
    '[rank5]: AssertionError: found NaN in local grad norm for bucket #3 in backward pass before data-parallel communication collective';
  assert.deepEqual(reported(bucket), ['job.nan rank/llama/5']);
  const [crash] = all('[rank3]: Traceback (most recent call last):', '[rank3]: RuntimeError: Rank 114: no such shard');
  assert.equal(crash?.component?.id, 'llama/114');
});

test('what a trainer skips because of NaN is not an end', () => {
  assert.deepEqual(reported('found NaN in gradients, skipping this step', 'found Inf in batch 12'), []);
});

test('NaN in a traceback is NaN, not only a crash', () => {
  const found = reported(
    '[rank5]: Traceback (most recent call last):',
    '[rank5]:   File "/opt/megatron/core/rerun_state_machine.py", line 500, in validate_result',
    "[rank5]: RuntimeError: Rank 5, node node-2, device 5, iteration 7: Unexpected result nan (message='found NaN in local forward loss calculation')",
  );
  assert.deepEqual(found, ['job.nan rank/llama/5']);
});

const step = (n: number, loss: string, nans: string) =>
  ` iteration ${n}/ 100 | consumed samples: 8 | elapsed time per iteration (ms): 100.0 |${loss} grad norm: 1.0 | number of skipped iterations: 0 |${nans}`;

test('a loss that is left out while iterations count as NaN is NaN, and a loss that is back ends it', () => {
  const nans = (n: number) => ` number of nan iterations: ${n} |`;
  const events = all(
    step(1, ' lm loss: 2.1 |', nans(0)),
    step(2, '', nans(1)),
    step(3, '', nans(1)),
    step(4, ' lm loss: 2.2 |', nans(0)),
  );
  assert.deepEqual(
    events.map(({ kind, state, attributes }) => [kind, state, attributes?.value]),
    [
      ['job.nan', 'onset', 'left out'],
      ['job.nan', 'clear', null],
    ],
  );
});

test('without the count a loss that was there and is gone is NaN; one of a skipped iteration or of the start is not', () => {
  assert.equal(all(step(1, ' lm loss: 2.1 |', ''), step(2, '', '')).length, 1);
  assert.deepEqual(all(step(1, '', ''), step(2, '', '')), []);
  const skipped = step(2, '', '').replace('skipped iterations: 0', 'skipped iterations: 1');
  assert.deepEqual(all(step(1, ' lm loss: 2.1 |', ''), skipped), []);
});

const row = (rank: number, code: number) => [
  `[${rank}]:`,
  '  time      : 2026-11-29_02:07:08',
  '  host      : node-1',
  `  rank      : ${rank} (local_rank: ${rank})`,
  `  exitcode  : ${code} (pid: ${100 + rank})`,
  '  error_file: <N/A>',
];
const table = (root: number, others: readonly number[], code: number) => [
  'train.py FAILED',
  'Failures:',
  ...(others.length === 0 ? ['  <NO_OTHER_FAILURES>'] : others.flatMap((rank) => row(rank, code))),
  '------------------------------------------------------------',
  'Root Cause (first observed failure):',
  ...row(root, code),
  '============================================================',
];

test('the worker that torchelastic calls the root cause comes first, wherever it is in the table', () => {
  const events = all(...table(5, [0, 1, 2], 1));
  assert.deepEqual(
    events.toSorted((a, b) => a.timeMs - b.timeMs).map(({ component }) => component?.id),
    ['llama/5', 'llama/0', 'llama/1', 'llama/2'],
  );
  assert.ok((events[0]?.timeMs ?? 0) < (events[1]?.timeMs ?? 0));
  assert.deepEqual(reported(...table(5, [], -11)), ['job.rank_crashed rank/llama/5']);
});

test('a table that breaks off is reported as far as it goes', () => {
  const [head = '', failures = '', ...rest] = table(5, [0], 1);
  const found = reported(head, failures, ...rest.slice(0, 6), '====================');
  assert.deepEqual(found, ['job.rank_crashed rank/llama/0']);
});

test('ranks that abort after their collective timed out are ended by the watchdog; one that aborts by itself crashed', () => {
  const timeout = (rank: number) =>
    `[rank${rank}]:[E321 02:07:08.4 ProcessGroupNCCL.cpp:607] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580, OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.`;
  const found = reported(timeout(0), timeout(1), ...table(0, [1], -6));
  assert.deepEqual(found, [
    'job.collective_timeout rank/llama/0',
    'job.collective_timeout rank/llama/1',
    'job.rank_killed rank/llama/0',
    'job.rank_killed rank/llama/1',
  ]);
  assert.deepEqual(reported(...table(0, [], -6)), ['job.rank_crashed rank/llama/0']);
  assert.deepEqual(reported(timeout(0), ...table(1, [], -11)), [
    'job.collective_timeout rank/llama/0',
    'job.rank_crashed rank/llama/1',
  ]);
});

test('a rank that aborts after it reported that its peer is gone did not crash, wherever the table of failures has it', () => {
  const gone = (rank: number) =>
    `[rank${rank}]:[E1014 19:00:53.0 ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank ${rank}] Process group watchdog thread terminated with exception: NCCL error: remote process exited or there was a network error, NCCL version 2.25.1`;
  const peers = ['job.peer_failure rank/llama/0', 'job.peer_failure rank/llama/1'];
  const mixed = table(0, [6], -6).map((line) => line.replace('-6 (pid: 106)', '1 (pid: 106)'));
  assert.deepEqual(reported(gone(0), gone(1), ...mixed), [...peers, 'job.rank_crashed rank/llama/6']);
  const own = [
    '[rank6]: Traceback (most recent call last):',
    '[rank6]: RuntimeError: CUDA error: device-side assert triggered',
  ];
  assert.ok(!reported(...own, gone(0), ...table(0, [], -6)).includes('job.rank_crashed rank/llama/0'));
  // No rank of this log crashed: the one that did is elsewhere.
  const killed = ['job.rank_killed rank/llama/0', 'job.rank_killed rank/llama/1'];
  assert.deepEqual(reported(gone(0), gone(1), ...table(0, [1], -6)), [...peers, ...killed]);
  assert.deepEqual(reported(gone(1), ...table(0, [], -6)), [...peers.slice(1), 'job.rank_crashed rank/llama/0']);
  assert.deepEqual(reported(gone(0), ...table(0, [], -11)), [...peers.slice(0, 1), 'job.rank_crashed rank/llama/0']);
});

test('a step that Slurm ends after a task of it failed was cancelled by no one', () => {
  const cancelled = 'slurmstepd-node-1: error: *** STEP 9411285.0 ON node-1 CANCELLED AT 2026-11-29T02:06:38 ***';
  for (const [before, kinds] of [
    [
      'slurmstepd: error: Detected 1 oom_kill event in StepId=771.0. Some of the step tasks have been OOM Killed.',
      'host.oom host/node-1',
    ],
    [
      '[2026-11-29T02:06:38.784] error: Detected 4 oom_kill events in StepId=771.0. Some of the step tasks',
      'host.oom host/node-1',
    ],
    ['srun: error: node-1: task 3: Segmentation fault (core dumped)', 'job.rank_crashed rank/llama/3'],
    ['srun: error: node-1: tasks 0-3,5: Exited with exit code 1', 'job.rank_crashed job/llama'],
    ['srun: error: node-1: tasks 0-1: Killed', 'job.rank_killed job/llama'],
  ] as const)
    assert.deepEqual(reported(before, cancelled), [kinds], before);
  assert.deepEqual(reported(cancelled), ['job.cancelled job/llama']);
  const lost = 'slurmstepd: error: *** JOB 1 ON node-1 CANCELLED AT 2026-11-29T02:06:38 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***'; // biome-ignore format: one line
  assert.deepEqual(reported(lost), ['job.node_failed job/llama']);
  assert.deepEqual(reported('srun: error: node-1: tasks 0-2: Terminated'), []);
});

test('an exception of one rank is kept over the step that another still ends before srun reports it', () => {
  const step = ' [2026-11-29 09:00:00] iteration       31/  500000 | consumed samples:         1984 | elapsed time per iteration (ms): 412.3 | lm loss: 2.1E+00 |'; // biome-ignore format: one line
  const lines = ['Traceback (most recent call last):', '  File "t.py", line 8, in <module>', 'RuntimeError: boom'];
  const end = 'srun: error: n1: task 1: Exited with exit code 1';
  const crash = (steps: number) => all(...lines, ...Array.from({ length: steps }, () => step), end).find(({ kind }) => kind === 'job.rank_crashed'); // biome-ignore format: one line
  assert.deepEqual([crash(1)?.attributes?.exception, crash(1)?.attributes?.how], ['RuntimeError', 'Exited with exit code 1']); // biome-ignore format: one line
  assert.equal(crash(5)?.attributes?.exception, undefined);
});

test('newer releases of Slurm report why they end a step, and what else they end a job for', () => {
  const line = (words: string) => `slurmstepd-node-1: error: *** STEP 771.0 ON node-1 ${words} ***`;
  const at = 'CANCELLED AT 2026-11-29T02:06:38';
  const failed = 'srun: error: node-1: task 3: Exited with exit code 1';
  assert.deepEqual(reported(line(`${at} DUE TO TASK FAILURE`)), ['job.rank_killed job/llama']);
  assert.deepEqual(reported(failed, line(`${at} DUE TO TASK FAILURE`)), ['job.rank_crashed rank/llama/3']);
  const [signalled] = all(line(`${at} DUE to SIGNAL Terminated`));
  assert.deepEqual([signalled?.kind, signalled?.attributes?.reason], ['job.cancelled', 'signal terminated']);
  const [job] = all(line(`${at} DUE to SIGNAL Killed`).replace('STEP 771.0', 'JOB 771'));
  assert.deepEqual([job?.kind, job?.attributes?.reason], ['job.cancelled', 'signal killed']);
  assert.deepEqual(reported('srun: Job step aborted: Waiting up to 32 seconds for job step to finish.'), ['job.cancelled job/llama']); // biome-ignore format: one line
  assert.deepEqual(reported(failed, 'srun: Job step aborted: Waiting up to 2 seconds for job step to finish.'), ['job.rank_crashed rank/llama/3']); // biome-ignore format: one line
  assert.deepEqual(reported(line('FAILED (non-zero exit code or other failure mode)')), ['job.failed job/llama']);
  assert.deepEqual(reported(line('UNCORRECTABLE MEMORY ERROR AT 2026-11-29T02:06:38')), ['memory.ue host/node-1']);
});

test('RDMA retries that ran out are known in every wording of NCCL, other completions are not them', () => {
  const warn = (words: string) =>
    `node-2:5776:5902 [0] transport/net_ib.cc:1296 NCCL WARN NET/IB : Got completion from peer ${words}`;
  for (const words of [
    '10.2.0.5<33092> with error 12, opcode 0, len 0, vendor err 129 (Recv)',
    '10.2.0.5<33092> with status=12 opcode=0 len=0 vendor err 129 (Send) localGid fe80::1 hca mlx5_1',
    '10.2.0.5<33092> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_RDMA_WRITE(1) vendor_err=129 hca mlx5_1',
    '10.2.0.5<33092> with status=13 opcode=0 len=0 vendor err 135 (Send) hca mlx5_1',
  ])
    assert.deepEqual(reported(warn(words)), ['net.rdma_retry_exceeded job/llama'], words);
  assert.deepEqual(reported(warn('10.2.0.5<3> with status=5 opcode=0 len=0 vendor err 249 (Recv) hca mlx5_0')), []);
});

test('a call of CUDA that failed under NCCL is what its text says', () => {
  const warn = (words: string) => `[rank2]:node-1:3468:3905 [4] enqueue.cc:1101 NCCL WARN ${words}`;
  assert.deepEqual(reported(warn('Failed to CUDA calloc 536870912 bytes')), ['job.gpu_oom rank/llama/2']);
  assert.deepEqual(reported(warn("Cuda failure 2 'out of memory'")), ['job.gpu_oom rank/llama/2']);
  assert.deepEqual(reported(warn("Cuda failure 'uncorrectable ECC error encountered'")), [
    'gpu.memory.uncorrectable -',
  ]);
  assert.deepEqual(reported(warn("Cuda failure 'an illegal memory access was encountered'")), [
    'job.rank_crashed rank/llama/2',
  ]);
  assert.deepEqual(reported(warn("Cuda failure 'system not yet initialized'")), ['fabric_manager.error host/node-1']);
});

test('memory of the host that Ray or a data loader ran out of is not that of a GPU', () => {
  assert.deepEqual(reported('ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.'), ['host.oom host/node-1']); // biome-ignore format: one line
  assert.deepEqual(reported('(raylet) node_manager.cc:3041: 0 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed due to other reasons'), []); // biome-ignore format: one line
  const [loader] = all('RuntimeError: DataLoader worker (pid 629) is killed by signal: Killed. ');
  assert.deepEqual([loader?.kind, loader?.attributes?.pid], ['job.rank_killed', 629]);
  const done = '[after training is done] datetime: 2026-11-28 12:00:00';
  assert.deepEqual(reported(done, 'RuntimeError: DataLoader worker (pid 629) is killed by signal: Killed. '), ['job.ended job/llama']); // biome-ignore format: one line
});

test('a task of JAX that sends no heartbeat is named by those that do', () => {
  const line = 'E external/xla/coordination_service.cc:1170] /job:jax_worker/replica:0/task:3 has been set to ERROR in coordination service: UNAVAILABLE: Task /job:jax_worker/replica:0/task:3 heartbeat timeout. This indicates that the remote task has failed'; // biome-ignore format: one line
  assert.deepEqual(reported(line), ['job.rank_crashed rank/llama/3']);
  const list = ['UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats): ', '/job:jax_worker/replica:0/task:2', 'The tasks have crashed.']; // biome-ignore format: one line
  // Another task's word: that the job cannot continue, and the number of a process, which may have several GPUs.
  assert.deepEqual(reported(...list), ['job.hang job/llama']);
});
