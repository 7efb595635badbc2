// Job hosts: which lines of a job's log name a host, for which rank, and what a log names that no line reports a fault of.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import catalog from '#catalog/job-hosts.json' with { type: 'json' };
import { JobHosts, sharedRoom } from '../../../src/detection/text/job/job-hosts.ts';
import type { EventInput } from '../../../src/model/record.ts';

const rank = (number: number) => ({ type: 'rank', id: `8812/${number}`, parent: 'job/8812' }) as const;
const about = (component: EventInput['component'], text = 'torch.OutOfMemoryError: CUDA out of memory.') => ({
  component,
  evidence: [{ source: 'job-log', timeMs: 0, text }],
});

function named(...lines: readonly string[]): JobHosts {
  const hosts = new JobHosts();
  for (const line of lines) hosts.take(line);
  return hosts;
}

for (const { example, pattern } of catalog.lines) {
  test(`the example names its host: ${example.trim().slice(0, 60)}`, () => {
    assert.match(example, new RegExp(pattern));
    const above = pattern.includes('<host>') ? [] : ['  host      : node-3'];
    const { hosts } = named(...above, example);
    assert.equal(hosts.length, 1, example);
    assert.match(hosts[0] ?? '', /^(?:node-\d|192\.0\.2\.5)$/);
  });
}

test('a rank is on the host that NCCL, torchelastic or mpirun name for it, behind any prefix', () => {
  const hosts = named(
    'node-2:812:901 [3] NCCL INFO comm 0x55d1 rank 11 nranks 16 cudaDev 3 nvmlDev 3 busId b3000 commId 0x1 - Init COMPLETE',
    '[default0]:node-1:812:901 [0] NCCL INFO comm 0x55d1 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0',
    '  time      : 2026-11-28_12:00:00',
    '  host      : node-3',
    '  rank      : 17 (local_rank: 1)',
    '  rank      : 18 (local_rank: 2)',
    'mpirun noticed that process rank 25 with PID 77 on node node-4 exited on signal 11 (Segmentation fault).',
  );
  assert.deepEqual([11, 0, 17, 18, 25].map((each) => hosts.of(about(rank(each)))), ['node-2', 'node-1', 'node-3', null, 'node-4']); // biome-ignore format: one line
});

test("the level and date of glog's and klog's stamps are no host", () => {
  const after = 'ProcessGroupNCCL.cpp:629] [Rank 3] Watchdog caught collective operation timeout: it failed';
  for (const stamp of [
    '[E1204 07:41:12.302',
    'I20261204 07:41:12.302',
    '[rank3]:[W1204 07:41:12.302',
    'F0101 00:00:00',
  ]) {
    const hosts = named(`${stamp} ${after}`);
    assert.deepEqual([hosts.hosts, hosts.of(about(rank(3)))], [[], null], stamp);
  }
  const hosts = named('[rank3]:[E1204 07:41:12.302 loop.cpp:12] rank 3 failed on host node-2: no answer');
  assert.equal(hosts.of(about(rank(3))), 'node-2');
});

test("srun's tasks are ranks only where an event showed that they are", () => {
  const ended = 'srun: error: node-2: task 1: Exited with exit code 1';
  const hosts = named(ended, 'slurmstepd: error: *** STEP 8812.0 ON node-1 CANCELLED AT 2026-11-29T13:01:40 ***');
  assert.equal(hosts.of(about(rank(1))), null);
  const base = { kind: 'job.rank_crashed', timeMs: 0, observedMs: 0, trust: 'tenant', source: 'job-log' } as const;
  hosts.found({ ...base, component: { type: 'job', id: '8812' }, attributes: { task: 1 } });
  assert.equal(hosts.of(about(rank(1))), null);
  hosts.found({ ...base, component: rank(1), attributes: { task: 1 } });
  assert.equal(hosts.of(about(rank(1))), 'node-2');
  assert.equal(hosts.of(about(rank(2))), null);
  assert.equal(hosts.of(about({ type: 'job', id: '8812' }, ended)), 'node-2');
  assert.deepEqual(hosts.hosts, ['node-2', 'node-1']);
});

test('lists of tasks are of the host before them', () => {
  const hosts = named('srun: error: node-2: tasks 4-6,9: Killed', 'srun: error: node-1: task 0: Killed');
  const base = { kind: 'job.rank_killed', timeMs: 0, observedMs: 0, trust: 'tenant', source: 'job-log' } as const;
  hosts.found({ ...base, component: rank(0), attributes: { task: 0 } });
  assert.deepEqual([3, 4, 6, 7, 9].map((each) => hosts.of(about(rank(each)))), [null, 'node-2', 'node-2', null, 'node-2']); // biome-ignore format: one line
});

test('the only host that a log names is that of all that it reports', () => {
  assert.equal(named('slurmstepd-node-1: error: Detected 1 oom_kill event').of(about(rank(7))), 'node-1');
  assert.equal(named('all is well').of(about(rank(7))), null);
});

test('words of others name no host, and hostile lines end soon', () => {
  const lines = [
    'loss ON node-1 today',
    'host: node-1',
    'NCCL INFO cudaDriverVersion 12040',
    `srun: error: ${'a'.repeat(200)}: task 1: x`,
    'ValueError: node-1:8:9 is not valid',
  ];
  assert.deepEqual(named(...lines).hosts, []);
  const long = named(`srun: error: node-1: tasks 0-999999999: ${'1-9,'.repeat(50_000)}`);
  assert.deepEqual(long.hosts, ['node-1']);
});

test('logs that are read together keep so many ranks and tasks at most, and what is kept may still change', () => {
  const room = sharedRoom(1000);
  const [first, second] = [new JobHosts(room), new JobHosts(room)];
  const base = { kind: 'job.rank_killed', timeMs: 0, observedMs: 0, trust: 'tenant', source: 'job-log' } as const;
  first.take('srun: error: node-1: tasks 0-99999: Killed');
  second.take('srun: error: node-2: tasks 0-99999: Killed');
  first.take('srun: error: node-3: tasks 5: Killed');
  for (const hosts of [first, second]) hosts.found({ ...base, component: rank(1), attributes: { task: 1 } });
  assert.equal(room.left, 0);
  assert.deepEqual([5, 999, 1000].map((each) => first.of(about(rank(each)))), ['node-3', 'node-1', null]); // biome-ignore format: one line
  assert.equal(second.of(about(rank(0))), 'node-2', 'the only host that it names');
});

test('of a long line nothing but the host stays in memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const hosts = new JobHosts();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 1000; i += 1) {
    const line = `node-of-a-long-name:1:1 [0] NCCL INFO comm 0x5 rank ${i} nranks 8 ${'x'.repeat(60_000)}`;
    hosts.take(Buffer.from(line).toString());
  }
  collect();
  assert.ok(process.memoryUsage().heapUsed - before < 10_000_000);
  assert.equal(hosts.of(about(rank(999))), 'node-of-a-long-name');
});

test('what a logger or pdsh puts before each line names the host of that line, and no step, request or model does', () => {
  for (const [line, host] of [
    ['2026-11-30 08:00:11,201 [hx-06] INFO saving checkpoint', 'hx-06'],
    ['[hx-06.dc2.example] 2026-11-30 08:00:11 ERROR: write failed', 'hx-06.dc2.example'],
    ['INFO [dgx-h100-12] step 40', 'dgx-h100-12'],
    ['hx-06: torch.OutOfMemoryError: CUDA out of memory.', 'hx-06'],
    ['node07   | RuntimeError: CUDA error', 'node07'],
    ['2026-11-30 08:00:11 hx-06 ERROR write failed', 'hx-06'],
    ['2026-11-30 08:00:11 ERROR hx-06[2211]: write failed', 'hx-06'],
    ['2026-11-30 08:00:11,201 - hx-06 - loop - ERROR - write failed', 'hx-06'],
    ['2026-11-30 08:00:11 <hx-06> write failed', 'hx-06'],
    ['time=10:00 level=error node=hx-06 msg="write failed"', 'hx-06'],
    ['level=error host=hx-07 msg="cannot connect to it"', null],
    ['2026-11-30 08:00:11 ERROR ckpt-writer-03: write failed', null],
    ['2026-11-30 08:00:11 - vllm-router-01 - INFO - ready', null],
    ['2026-11-30 08:00:11 [step-1200] INFO saved', null],
    ['2026-11-30 08:00:11 [req-4412] ERROR timed out', null],
    ['2026-11-30 08:00:11 [llama-70] INFO loaded', null],
    ['[resnet-layer-12] WARNING grad is large', null],
    ['top-10: 0.93', null],
    ['[ab12] ERROR no answer', null],
  ] as const)
    assert.deepEqual(named(line).hosts, host === null ? [] : [host], line);
  const ranks = named('[hx-06 rank 5] step failed', '2026-11-30 08:00:11 [hx-07][rank 9] INFO step 40');
  assert.deepEqual([5, 9].map((each) => ranks.of(about(rank(each)))), ['hx-06', 'hx-07']); // biome-ignore format: one line
});
