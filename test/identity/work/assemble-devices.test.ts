// What is assembled of devices and names: whose a GPU is, which numbers count inside a container, and by which name a job goes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gpuFacts, gpuId, NOWHERE, podFact, processFact, scheduledFact, slurm, uuid } from './facts.ts';
import { inPod, only, ranks, task, view } from './views.ts';

test('a shared GPU is shared by design: each has a row, and nothing is wrong', () => {
  const pods = ['a', 'b'].map((name, n) => podFact(name, { containers: [{ name: 'c', id: `c-${name}`, variables: {}, devices: [{ resource: 'nvidia.com/gpu.shared', id: `${uuid(0)}::${n}` }], log: null }] })); // biome-ignore format: one line
  const processes = [processFact(10, { place: inPod('uid-a', 'c-a') })];
  const { devices, conflicts } = view({ pods, processes, gpus: gpuFacts(1, { 0: [10] }) });
  assert.deepEqual(devices.map(({ work, sharedBy }) => [work, sharedBy]), [['ml/a', 2], ['ml/b', 2]]); // biome-ignore format: one line
  assert.deepEqual(conflicts, []);
});

test('a pod with a GPU of AMD has it under the address that the kernel names', () => {
  const devices = [{ resource: 'amd.com/gpu', id: '0000:19:00.0' }];
  const pods = [podFact('a', { containers: [{ name: 'c', id: 'c-a', variables: {}, devices, log: null }] })];
  const made = view({ pods, gpus: gpuFacts(0) });
  assert.deepEqual(made.devices.map(({ device, work }) => [device, work]), [['gpu/0000:19:00.0', 'ml/a']]); // biome-ignore format: one line
});

test('a GPU that the scheduler gave to one job and that another job uses is a conflict', () => {
  const processes = [task(10, 0), processFact(20, { place: slurm('992') })];
  const scheduled = [scheduledFact('991', { gpus: [0, 1] })];
  const { devices, conflicts } = view({ processes, scheduled, gpus: gpuFacts(2, { 0: [10], 1: [20] }) });
  assert.deepEqual(
    devices.map(({ device, work, ranks: all }) => [device, work, all]),
    [
      [`gpu/${gpuId(0)}`, '991', [0]],
      [`gpu/${gpuId(1)}`, '991', []],
      [`gpu/${gpuId(1)}`, '992', []],
    ],
  );
  assert.match(conflicts[0]?.reason ?? '', /^it was given to job 991 alone, and processes of job 992 use it$/);
});

test('jobs with shards of one GPU have it each, and that is not a conflict', () => {
  const processes = [task(10, 0), processFact(20, { place: slurm('992') })];
  const scheduled = ['991', '992'].map((id) => scheduledFact(id, { gpus: [0], sharesGpus: true }));
  const { devices, conflicts } = view({ processes, scheduled, gpus: gpuFacts(1, { 0: [10, 20] }) });
  assert.deepEqual(devices.map(({ work, sharedBy }) => [work, sharedBy]), [['991', 2], ['992', 2]]); // biome-ignore format: one line
  assert.deepEqual(conflicts, []);
});

test('Slurm in a pod: the job is Slurm’s, its place the pod, and the devices of the pod are its', () => {
  const container = {
    name: 'slurmd',
    id: 'c1',
    variables: {},
    devices: [{ resource: 'nvidia.com/gpu', id: uuid(0) }],
    log: null,
  };
  const pod = podFact('slurmd-0', { containers: [container], owner: { kind: 'NodeSet', name: 'gpu' } });
  const place = { ...inPod('uid-slurmd-0', 'c1'), batch: slurm('5').batch };
  const process = processFact(10, { place, variables: { SLURM_JOB_ID: '5', RANK: '0' } });
  const { works, devices, conflicts } = view({ pods: [pod], processes: [process], gpus: gpuFacts(1, { 0: [10] }) });
  assert.deepEqual(works.find(({ id }) => id === '5')?.ranks[0]?.pod, 'uid-slurmd-0');
  assert.deepEqual(devices.map(({ work, pod: of, sharedBy }) => [work, of?.name, sharedBy]), [['5', 'slurmd-0', 1]]); // biome-ignore format: one line
  assert.deepEqual(conflicts, []);
});

test('a pod that was made for a job of Slurm is that job', () => {
  const pod = podFact('j-5', {
    batchJob: '5',
    containers: [{ name: 'c', id: 'c1', variables: {}, devices: [], log: null }],
  });
  const work = only({
    pods: [pod],
    scheduled: [scheduledFact('5', { name: 'llama' })],
    processes: [processFact(10, { place: inPod('uid-j-5', 'c1'), variables: { RANK: '0' } })],
  });
  assert.deepEqual([work.id, work.name, work.pods.length, ranks(work)], ['5', 'llama', 1, [[0, 10]]]);
});

test('the name of the configuration is the job’s, and the scheduler’s number another name of it', () => {
  const processes = [task(10, 0), task(11, 1)];
  const named = [{ pid: 10, job: 'llama', knownBy: 'it writes /logs/llama.log' }];
  const work = only({ processes, named, scheduled: [scheduledFact('991')] });
  assert.deepEqual(
    [work.id, work.aliases, ranks(work)],
    [
      'llama',
      ['991'],
      [
        [0, 10],
        [1, 11],
      ],
    ],
  );
  assert.ok(work.knownBy.includes('it writes /logs/llama.log'));
});

test('one log of two jobs names neither, and a job with two names has none of them', () => {
  const jobs = ['991', '992'].map((job, n) => processFact(10 + n, { place: slurm(job) }));
  const one = view({ processes: jobs, named: [10, 11].map((pid) => ({ pid, job: 'llama', knownBy: 'its log' })) });
  assert.deepEqual(one.works.map(({ id }) => id), ['991', '992']); // biome-ignore format: one line
  assert.match(one.conflicts[0]?.reason ?? '', /slurm job 991 and slurm job 992 are under this name/);
  const named = [{ pid: 10, job: 'a', knownBy: 'x' }, { pid: 11, job: 'b', knownBy: 'x' }]; // biome-ignore format: one line
  const two = view({ processes: [task(10, 0), task(11, 1)], named });
  assert.deepEqual(two.works.map(({ id }) => id), ['991']); // biome-ignore format: one line
  assert.match(two.conflicts[0]?.about ?? '', /slurm job 991/);
});

test('ranks that only their log joins are one job under its name', () => {
  const processes = [0, 1].map((rank) =>
    processFact(10 + rank, { parent: 5 + rank, variables: { RANK: `${rank}`, WORLD_SIZE: '2' } }),
  );
  const named = processes.map(({ pid }) => ({ pid, job: 'llama', knownBy: 'its log' }));
  assert.deepEqual(ranks(only({ processes, named })), [[0, 10], [1, 11]]); // biome-ignore format: one line
});

test('the rank of a number is the one on a GPU, and two that are equally it are none', () => {
  const variables = { RANK: '0', WORLD_SIZE: '1', SLURM_JOB_ID: '1' };
  const shell = processFact(10, { variables });
  const python = processFact(11, { parent: 10, variables });
  assert.deepEqual(ranks(only({ processes: [shell, python] })), [[0, 10]]);
  assert.deepEqual(ranks(only({ processes: [shell, python], gpus: gpuFacts(1, { 0: [11] }) })), [[0, 11]]);
  const { works, conflicts } = view({ processes: [shell, processFact(12, { variables })] });
  assert.deepEqual(works.flatMap(ranks), [[0, null]]);
  assert.match(conflicts[0]?.reason ?? '', /processes 10 and 12 say that they are it/);
});

test('a context that a rank leaves on another’s GPU does not make it its own', () => {
  const processes = [0, 1].map((rank) =>
    processFact(10 + rank, { parent: 5, variables: { RANK: `${rank}`, WORLD_SIZE: '2' } }),
  );
  const work = only({ processes, gpus: gpuFacts(2, { 0: [10, 11], 1: [11] }) });
  assert.deepEqual(work.ranks.map(({ gpus }) => gpus), [[gpuId(0)], [gpuId(1)]]); // biome-ignore format: one line
});

test('GPUs of a step that shuts the others out are counted from 0 inside', () => {
  const gpu = (cuda: string, local: string) => {
    const variables = {
      RANK: local,
      WORLD_SIZE: '2',
      LOCAL_RANK: local,
      SLURM_JOB_ID: '1',
      SLURM_STEP_GPUS: '2,3',
      CUDA_VISIBLE_DEVICES: cuda,
    };
    return only({ processes: [processFact(10, { variables })], gpus: gpuFacts(4) }).ranks[0]?.gpus;
  };
  assert.deepEqual([gpu('0,1', '0'), gpu('0,1', '1'), gpu('2,3', '1')], [[gpuId(2)], [gpuId(3)], [gpuId(3)]]);
});

test('a MIG instance is what its container has, not the GPU around it', () => {
  const mig = 'MIG-00000000-0000-0000-0000-000000000007';
  const instance = {
    component: { type: 'gpu_instance', id: `${gpuId(0)}/5`, aliases: [mig] },
    profile: '1g.10gb',
  } as const;
  const pod = podFact('a', {
    containers: [
      { name: 'c', id: 'c1', variables: {}, devices: [{ resource: 'nvidia.com/mig-1g.10gb', id: mig }], log: null },
    ],
  });
  const process = processFact(10, { place: inPod('uid-a', 'c1'), variables: { RANK: '0', WORLD_SIZE: '1' } });
  const gpus = { ...gpuFacts(1, { 0: [10] }), instances: [instance] };
  const { works, devices } = view({ pods: [pod], processes: [process], gpus });
  assert.deepEqual(works[0]?.ranks[0]?.gpus, [`${gpuId(0)}/5`]);
  assert.deepEqual(devices.map(({ device, ranks: all, sharedBy }) => [device, all, sharedBy]), [[`gpu_instance/${gpuId(0)}/5`, [0], 1]]); // biome-ignore format: one line
});

test('containers without Kubernetes, and processes that nothing names, are jobs as soon as they hold a GPU', () => {
  const id = 'c'.repeat(64);
  const docker = processFact(10, { place: { ...NOWHERE, container: id, runtime: 'docker' } });
  const idle = processFact(11, { place: { ...NOWHERE, container: 'd'.repeat(64), runtime: 'docker' } });
  const bare = processFact(12, { role: 'chat.py' });
  const { works } = view({ processes: [docker, idle, bare], gpus: gpuFacts(2, { 0: [10], 1: [12] }) });
  assert.deepEqual(works.map(({ id: name, manager }) => [name, manager]), [['cccccccccccc', 'docker'], ['pid-12', 'process']]); // biome-ignore format: one line
});

test('what the process itself reports goes before all else', () => {
  const reported = [{ pid: 10, job: '991', rank: 7, knownBy: 'a line of its log' }];
  const work = only({ processes: [task(10, 0, {}, { variables: {}, readable: false })], reported });
  assert.deepEqual(ranks(work), [[7, 10]]);
  // A line of another job's log says nothing of it.
  const other = reported.map((fact) => ({ ...fact, job: 'eval' }));
  assert.deepEqual(
    ranks(only({ processes: [task(10, 0, {}, { variables: {}, readable: false })], reported: other })),
    [],
  );
});

test('standard output that is a file is a log of the job', () => {
  const writes = [
    { path: '/data/out.log', inode: 7, by: 'itself', output: true },
    { path: '/data/other', inode: 8, by: 'itself', output: false },
  ] as const;
  const work = only({ processes: [task(10, 0, {}, { writes, root: '/proc/10/root' })] });
  assert.deepEqual(work.logs.map(({ path, namedBy }) => [path, namedBy]), [['/proc/10/root/data/out.log', [1000]]]); // biome-ignore format: one line
});
