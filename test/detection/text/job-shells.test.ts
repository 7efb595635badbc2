// Job lines of shells, by which a person's terminal says what signal ended a command; and JAX's tasks that are never let in.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { jobRecord, START_MS } from './lines.ts';

function reported(...lines: string[]): string[] {
  const decoder = new JobLineDecoder('llama', 'auto');
  return lines
    .flatMap((text, i) => decoder.decode(jobRecord(text, i, START_MS + i * 10)).faults)
    .map(({ kind }) => kind);
}

for (const [line, kind] of [
  ['[1]    83815 segmentation fault  python train.py --cuda', 'job.rank_crashed'],
  ['[1]  + 83815 segmentation fault (core dumped)  python train.py', 'job.rank_crashed'],
  ['zsh: segmentation fault  python train.py', 'job.rank_crashed'],
  ['zsh: bus error  ./train.sh', 'job.rank_crashed'],
  ['zsh: illegal hardware instruction  python train.py', 'job.rank_crashed'],
  ['[1]    83815 abort      python train.py', 'job.rank_crashed'],
  ['[1]    83815 killed     python train.py', 'job.rank_killed'],
  ['zsh: killed     python train.py', 'job.rank_killed'],
  ['[1]+  Segmentation fault      (core dumped) python train.py', 'job.rank_crashed'],
  ['[2]-  Aborted                 (core dumped) python train.py', 'job.rank_crashed'],
  ['[1]+ 83815 Bus error               python train.py &', 'job.rank_crashed'],
  ['[1]+  Killed                  python train.py', 'job.rank_killed'],
  ['/tmp/slurmd/job4411/slurm_script: line 9:  4727 Killed', 'job.rank_killed'],
  ['/tmp/slurmd/job4411/slurm_script: line 9:  4727 Segmentation fault', 'job.rank_crashed'],
  ['run.sh: line 3: 123 Segmentation fault (core dumped) python train.py', 'job.rank_crashed'],
  ['bash: line 3:   123 Illegal instruction     (core dumped) python train.py', 'job.rank_crashed'],
  ["fish: Job 1, 'python train.py' terminated by signal SIGSEGV (Address boundary error)", 'job.rank_crashed'],
  ["fish: Job 1, 'python train.py' terminated by signal SIGKILL (Forced quit)", 'job.rank_killed'],
] as const)
  test(`${line.slice(0, 60)}: ${kind}`, () => assert.deepEqual(reported(line), [kind]));

test('a shell says nothing that its program has not said', () => {
  assert.deepEqual(
    reported('Fatal Python error: Segmentation fault', '[1]    83815 segmentation fault (core dumped)  python train.py')
      .length,
    1,
  );
});

test('a task that asked to be let in until its time was over did not meet the others; a heartbeat is of another kind', () => {
  const asked =
    'Additional GRPC error information from remote target coordination_service while calling /tensorflow.CoordinationService/RegisterTask:';
  const over =
    '2026-11-28 12:00:41.656900: E external/xla/xla/pjrt/distributed/client.cc:96] Coordination service agent in error status: DEADLINE_EXCEEDED: Deadline Exceeded';
  assert.deepEqual(reported(asked, ':{"created":"@1712965181.6","grpc_status":4}', over), ['job.bootstrap_timeout']);
  assert.deepEqual(reported(asked.replace('RegisterTask', 'Heartbeat'), over), []);
  assert.deepEqual(reported(asked, over.replace('DEADLINE_EXCEEDED: Deadline', 'UNAVAILABLE: Connection')), []);
});

test('a store has more than it has places for, and is waited for in vain; one that has fewer still fills', () => {
  const waits = (came: number): string =>
    `Waiting in store based barrier to initialize process group for rank: 0, key: store_based_barrier_key:1 (world_size=4, worker_count=${came}, timeout=0:30:00)`;
  assert.deepEqual(reported(waits(2), waits(3)), []);
  assert.deepEqual(reported(waits(8)), ['job.bootstrap_timeout']);
});

test('a driver that is older than a program is reported in any words; advice is not', () => {
  const words = 'the provided PTX was compiled with an unsupported toolchain';
  assert.deepEqual(reported(`Error: model not loaded: ${words}.`), ['gpu.driver_unsupported']);
  assert.deepEqual(reported(`An error of CUDA comes if ${words}: update the driver`), []);
});

test('a model that a Triton server cannot load is a failure, one that is ready or lacks its files is none', () => {
  const row = (state: string): string => `| bert               | 1       | ${state} |`;
  assert.deepEqual(reported(row('READY'), row("UNAVAILABLE: Not found: no version is there for 'bert'")), []);
  assert.deepEqual(reported(row('UNAVAILABLE: Internal: unable to create TensorRT engine')), ['job.failed']);
});
