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

test('the signal that gdb stops a program at is its crash; one that a person or a timer sent is none', () => {
  const lines = [
    'Program received signal SIGSEGV, Segmentation fault.',
    'Thread 12 "pt_main_thread" received signal SIGBUS, Bus error.',
    'Thread 1.4 received signal SIGABRT, Aborted.',
    'Program terminated with signal SIGILL, Illegal instruction.',
  ];
  for (const line of lines) assert.deepEqual(reported(line), ['job.rank_crashed'], line);
  for (const line of [
    'Program received signal SIGINT, Interrupt.',
    'Thread 3 "python3" received signal SIGUSR1, User defined signal 1.',
    'if the program received signal SIGSEGV, Segmentation fault. is printed, type bt',
  ])
    assert.deepEqual(reported(line), [], line);
});

test('a disk is full by ENOSPC, not where a control group or a watch on files has no room', () => {
  assert.deepEqual(reported('cp: error writing /scratch/a: No space left on device'), ['host.disk_full']);
  for (const line of [
    "slurmstepd: error: common_file_write_uints: write value '4411' to '/sys/fs/cgroup/cpuset/slurm/job_4/cgroup.procs' failed: No space left on device",
    'mkdir /sys/fs/cgroup/memory/kubepods/burstable/pod4: no space left on device',
    'OSError: [Errno 28] inotify watch limit reached: No space left on device',
    'failed to create fsnotify watcher: no space left on device',
  ])
    assert.deepEqual(reported(line), [], line);
});

test("a user's control group that was not made is a warning of the job; a measurement's is nothing", () => {
  const decoder = new JobLineDecoder('llama', 'auto');
  const line = "slurmstepd: error: xcgroup_instantiate: unable to create cgroup '/sys/fs/cgroup/memory/slurm/uid_4411' : Cannot allocate memory"; // biome-ignore format: one line
  const [fault] = decoder.decode(jobRecord(line)).faults;
  assert.deepEqual([fault?.kind, fault?.severity], ['job.failed', 'warning']);
  assert.deepEqual(reported(line.replace('unable to create', 'unable to remove')), []);
});

test("aws-ofi-nccl's own head is read as NCCL's is; what it selected says nothing", () => {
  const head = 'Function: create_nccl_ofi_component Line: 459: NET/OFI';
  assert.deepEqual(reported(`WARN: ${head} Couldn't open AV. RC: -22, ERROR: Invalid argument`), ['job.rank_crashed']);
  assert.deepEqual(reported(`INFO: ${head} Selected Provider is efa`), []);
});

test('what a launcher called and a signal ended is an end by that signal; what only returned a status has failed', () => {
  const frame = '  File "/opt/conda/lib/python3.8/site-packages/torch/distributed/launch.py", line 259, in main';
  const error = (end: string): string => `subprocess.CalledProcessError: Command '['python3', 'train.py', '--local_rank=5']' ${end}`; // biome-ignore format: one line
  const ends = (end: string): string[] => {
    const decoder = new JobLineDecoder('llama', 'auto');
    const texts = ['Traceback (most recent call last):', frame, error(end)];
    const faults = texts.flatMap((text, i) => decoder.decode(jobRecord(text, i, START_MS + i * 10)).faults);
    return [...faults, ...decoder.flush().faults, ...decoder.settle(START_MS + 3_600_000)].map(({ kind }) => kind);
  };
  assert.deepEqual(ends('died with <Signals.SIGSEGV: 11>.'), ['job.rank_crashed']);
  assert.deepEqual(ends('died with <Signals.SIGKILL: 9>.'), ['job.rank_killed']);
  assert.deepEqual(ends('returned non-zero exit status 1.'), ['job.rank_crashed']);
});

test('an exception of the rendezvous in the object that torchrun logs is read; other messages in one are not', () => {
  const field = (text: string): string => `    "message": "${text}",`;
  assert.deepEqual(reported(field('RendezvousTimeoutError: the other nodes did not join in 900 s')), ['job.bootstrap_timeout']); // biome-ignore format: one line
  assert.deepEqual(reported(field('Rendezvous completed, 2 nodes')), []);
});
