// Which job, rank, pod and device belong together, from what sources say of each alone.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assemble } from '../../../src/identity/work/assemble.ts';
import type { Facts, ProcessFact } from '../../../src/identity/work/facts.ts';
import type { Work } from '../../../src/identity/work/work.ts';
import { factsOf, gpuFacts, gpuId, NOWHERE, podFact, processFact, scheduledFact, slurm, uuid } from './facts.ts';

const view = (given: Partial<Facts>) => assemble(factsOf(given));
const only = (given: Partial<Facts>): Work => {
  const { works } = view(given);
  assert.equal(works.length, 1, works.map(({ id }) => id).join());
  return works[0] as Work;
};
const ranks = ({ ranks: all }: Work) => all.map(({ rank, pid }) => [rank, pid]);
const inPod = (uid: string, container: string | null = null) => ({
  ...NOWHERE,
  pod: uid,
  container,
  runtime: 'containerd',
});

/** A task of step 0 of a Slurm job, as srun starts it. */
const task = (pid: number, rank: number, more: Record<string, string> = {}, given: Partial<ProcessFact> = {}) =>
  processFact(pid, {
    parent: 90,
    place: slurm('991', '0', rank),
    variables: { SLURM_JOB_ID: '991', SLURM_STEP_ID: '0', SLURM_PROCID: `${rank}`, SLURM_NTASKS: '4', ...more },
    ...given,
  });

test('tasks of srun are ranks, and what they start is not', () => {
  const stepd = processFact(90, { owner: [0], place: slurm('991', '0'), launcher: 'slurm' });
  const loader = task(200, 1, { RANK: '1' }, { parent: 101 });
  const processes = [
    stepd,
    ...[0, 1, 2, 3].map((rank) => task(100 + rank, rank, { RANK: `${rank}`, WORLD_SIZE: '4' })),
    loader,
  ];
  const work = only({ processes });
  assert.deepEqual([work.id, work.manager, work.user, work.worldSize, work.step], ['991', 'slurm', '1000', 4, '0']);
  assert.deepEqual(
    ranks(work),
    [0, 1, 2, 3].map((rank) => [rank, 100 + rank]),
  );
});

test('torchrun under one task a node: the task number is the node, and RANK counts', () => {
  const agent = task(100, 1, { SLURM_NTASKS: '2' }, { launcher: 'torchrun' });
  const children = [8, 9].map((rank) =>
    task(
      100 + rank,
      1,
      { SLURM_NTASKS: '2', RANK: `${rank}`, WORLD_SIZE: '16', LOCAL_RANK: `${rank - 8}` },
      { parent: 100 },
    ),
  );
  const work = only({ processes: [agent, ...children] });
  assert.deepEqual(ranks(work), [[8, 108], [9, 109]]); // biome-ignore format: one line
  assert.equal(work.worldSize, 16);
  // The same where what torchrun starts counts as many as there are tasks, in an order of its own.
  const elastic = task(100, 1, { SLURM_NTASKS: '2', RANK: '0', WORLD_SIZE: '2', GROUP_RANK: '0' });
  assert.deepEqual(ranks(only({ processes: [elastic] })), [[0, 100]]);
});

test('a batch script hands its own task number to all that it starts: none of them is that rank', () => {
  const place = slurm('991', 'batch', 0);
  const inherits = { SLURM_JOB_ID: '991', SLURM_PROCID: '0', SLURM_LOCALID: '0', SLURM_NTASKS: '2' };
  const script = processFact(100, { place, variables: inherits });
  const python = [0, 1].map((n) => processFact(101 + n, { place, parent: 100, variables: inherits }));
  assert.deepEqual(ranks(only({ processes: [script, ...python] })), []);
});

test('RANK against SLURM_PROCID, both over the same tasks: neither is taken, and the reason is given', () => {
  const processes = [task(100, 0, { RANK: '0', WORLD_SIZE: '4' }), task(101, 1, { RANK: '0', WORLD_SIZE: '4' })];
  const { works, conflicts } = view({ processes });
  assert.deepEqual(works.flatMap(ranks), [[0, 100]]);
  assert.deepEqual(conflicts, [{ about: 'rank of process 101', reason: 'RANK says 0, SLURM_PROCID says 1' }]);
});

test('without any right to environments the scheduler’s list gives the ranks', () => {
  const processes = [10, 11].map((pid) => processFact(pid, { readable: false, place: slurm('991', '0') }));
  const tasks = [10, 11].map((pid) => ({ pid, step: '0', rank: pid - 6, localRank: pid - 10 }));
  const fact = scheduledFact('991', { tasks, worldSize: 8, user: 'ada', userId: 1000, knownBy: 'scontrol listpids' });
  const work = only({ processes, scheduled: [fact] });
  assert.deepEqual(ranks(work), [[4, 10], [5, 11]]); // biome-ignore format: one line
  assert.deepEqual([work.user, work.worldSize, work.ranks[0]?.knownBy], ['ada', 8, 'scontrol listpids']);
  // The same where its processes cannot be seen at all.
  assert.deepEqual(ranks(only({ scheduled: [fact] })), [[4, 10], [5, 11]]); // biome-ignore format: one line
});

test('task_K counts only where it is known to count over the job', () => {
  const processes = [processFact(10, { readable: false, place: slurm('991', '0', 5) })];
  assert.deepEqual(ranks(only({ processes, scheduled: [scheduledFact('991')] })), []);
  const known = scheduledFact('991', { taskGroupsAreGlobal: true });
  assert.deepEqual(ranks(only({ processes, scheduled: [known] })), [[5, 10]]);
});

test('a group that is named by SLUID, the number in the environment and the scheduler’s names are one job', () => {
  const sluid = 's0ABCDEFGH1JKM';
  const place = { ...NOWHERE, batch: { manager: 'slurm', job: null, sluid, step: '0', task: 2 } } as const;
  const variables = { SLURM_JOB_ID: '991', SLURM_JOB_SLUID: sluid };
  assert.deepEqual(only({ processes: [processFact(10, { place, variables })] }).aliases, [sluid]);
  const closed = processFact(10, { place, readable: false });
  assert.equal(only({ processes: [closed] }).id, sluid);
  const work = only({ processes: [closed], scheduled: [scheduledFact('991', { aliases: [sluid] })] });
  assert.deepEqual([work.id, work.aliases, ranks(work)], ['991', [sluid], [[2, 10]]]);
});

test('a task of an array goes by its array, and its raw number is another name', () => {
  const variables = { SLURM_JOB_ID: '995', SLURM_ARRAY_JOB_ID: '991', SLURM_ARRAY_TASK_ID: '3' };
  const work = only({ processes: [processFact(10, { place: slurm('995'), variables })] });
  assert.deepEqual([work.id, work.aliases], ['991_3', ['995']]);
});

test('a job of another user is never joined by what a process says of itself', () => {
  const mine = task(100, 0, { RANK: '0' });
  const other = processFact(200, { owner: [2000], variables: { SLURM_JOB_ID: '991', RANK: '1', WORLD_SIZE: '2' } });
  const { works } = view({ processes: [mine, other] });
  assert.deepEqual(
    works.map(({ id, user }) => [id, user]),
    [
      ['991', '1000'],
      ['991-uid-2000', '2000'],
    ],
  );
  // Without a control group: the first under the name owns it.
  const first = processFact(50, { owner: [3000], variables: { SLURM_JOB_ID: '7', RANK: '0' } });
  const late = processFact(60, { owner: [4000], variables: { SLURM_JOB_ID: '7', RANK: '0' } });
  assert.deepEqual(view({ processes: [first, late] }).works.map(({ id, user }) => [id, user]), [['7', '3000'], ['7-uid-4000', '4000']]); // biome-ignore format: one line
});

test('an environment that names another job than the control group is a conflict, and the group counts', () => {
  const { works, conflicts } = view({
    processes: [processFact(10, { place: slurm('991'), variables: { SLURM_JOB_ID: '5' } })],
  });
  assert.deepEqual(works.map(({ id }) => id), ['991']); // biome-ignore format: one line
  assert.match(conflicts[0]?.reason ?? '', /control group of slurm job 991, and its environment says 5/);
});

test('one run id in two jobs joins nothing', () => {
  const variables = { TORCHELASTIC_RUN_ID: 'run', RANK: '0' };
  const processes = ['991', '992'].map((job, n) => processFact(10 + n, { place: slurm(job), variables }));
  const { works } = view({ processes });
  assert.deepEqual(works.map(({ id, aliases }) => [id, aliases]), [['991', []], ['992', []]]); // biome-ignore format: one line
});

test('launchers without a scheduler: MPI by its namespace, torchrun by its run id, else by the common parent', () => {
  const mpi = [0, 1].map((rank) =>
    processFact(10 + rank, { parent: 9, variables: { OMPI_COMM_WORLD_RANK: `${rank}`, OMPI_COMM_WORLD_SIZE: '2', OMPI_COMM_WORLD_LOCAL_RANK: `${rank}`, PMIX_NAMESPACE: '123.1', PMIX_RANK: `${rank}` } }),
  ); // biome-ignore format: one line
  const torch = processFact(20, {
    parent: 19,
    variables: { RANK: '0', WORLD_SIZE: '1', TORCHELASTIC_RUN_ID: 'llama' },
  });
  const agent = processFact(30, { launcher: 'torchrun', role: 'train.py' });
  const children = [0, 1].map((rank) =>
    processFact(31 + rank, { parent: 30, variables: { RANK: `${rank}`, WORLD_SIZE: '2' } }),
  );
  const loader = processFact(40, { parent: 31, variables: { RANK: '0', WORLD_SIZE: '2' } });
  const hydra = processFact(50, { parent: 49, variables: { PMI_RANK: '3', PMI_SIZE: '8', MPI_LOCALRANKID: '1' } });
  const { works } = view({ processes: [...mpi, torch, agent, ...children, loader, hydra] });
  assert.deepEqual(
    works.map((work) => [work.id, work.manager, ranks(work)]),
    [
      ['123.1', 'mpi', [[0, 10], [1, 11]]],
      ['llama', 'torchrun', [[0, 20]]],
      ['pid-30', 'torchrun', [[0, 31], [1, 32]]],
      ['pid-49', 'mpi', [[3, 50]]],
    ],
  ); // biome-ignore format: one row a job
});

test('JAX by its process id, and all GPUs that it alone is on', () => {
  const processes = [processFact(10, { variables: { JAX_PROCESS_ID: '2', JAX_NUM_PROCESSES: '4' } })];
  const work = only({ processes, gpus: gpuFacts(2, { 0: [10], 1: [10] }) });
  assert.deepEqual([ranks(work), work.ranks[0]?.gpus, work.worldSize], [[[2, 10]], [gpuId(0), gpuId(1)], 4]);
});

test('node rank × local size + local rank, from what the pod was given', () => {
  const container = {
    name: 'trainer',
    id: 'c1',
    variables: { PET_NODE_RANK: '2', PET_NPROC_PER_NODE: '8' },
    devices: [],
    log: null,
  };
  const pod = podFact('w-2', { containers: [container], owner: { kind: 'PyTorchJob', name: 'llama' } });
  const process = processFact(10, { place: inPod('uid-w-2', 'c1'), variables: { LOCAL_RANK: '3' } });
  const work = only({ processes: [process], pods: [pod], gpus: gpuFacts(1, { 0: [10] }) });
  assert.deepEqual([ranks(work), work.ranks[0]?.knownBy], [[[19, 10]], 'PET_NODE_RANK × 8 + LOCAL_RANK']);
});

test('pods of one owner are one job, and a pod of another namespace is another', () => {
  const owner = { kind: 'PyTorchJob', name: 'llama' };
  const device = (n: number) => [{ name: 'trainer', id: `c${n}`, variables: {}, devices: [{ resource: 'nvidia.com/gpu', id: uuid(n) }], log: `/var/log/pods/${n}.log` }]; // biome-ignore format: one line
  const pods = [
    podFact('llama-0', { owner, containers: device(0), user: 'ada', queue: 'prod', startedMs: 5 }),
    podFact('llama-1', { owner, containers: device(1) }),
    podFact('llama-0', { uid: 'other', namespace: 'dev', owner, containers: device(2) }),
    podFact('proxy', { owner: { kind: 'DaemonSet', name: 'proxy' }, containers: [{ name: 'p', id: 'c9', variables: {}, devices: [], log: null }] }),
  ]; // biome-ignore format: one row a pod
  const { works, devices } = view({ pods, gpus: gpuFacts(3) });
  assert.deepEqual(
    works.map(({ id, manager, pods: all, user, queue, startedMs }) => [
      id,
      manager,
      all.map(({ name }) => name),
      user,
      queue,
      startedMs,
    ]),
    [
      ['dev/llama', 'kubernetes', ['llama-0'], null, null, null],
      ['ml/llama', 'kubernetes', ['llama-0', 'llama-1'], 'ada', 'prod', 5],
    ],
  );
  // An allocation without any process holds its GPUs.
  assert.deepEqual(devices.map(({ device, work, pod }) => [device, work, pod?.container]), [0, 1, 2].map((n) => [`gpu/${gpuId(n)}`, n === 2 ? 'dev/llama' : 'ml/llama', 'trainer'])); // biome-ignore format: one line
});

test('a static pod is found by the hash of its configuration', () => {
  const hash = '5a3e1a1b5f1c0d6bd0f9f7c9ad4e0b12';
  const pod = podFact('train', {
    uid: 'mirror',
    configHash: hash,
    containers: [{ name: 't', id: 'c1', variables: {}, devices: [], log: null }],
  });
  const work = only({
    pods: [pod],
    processes: [processFact(10, { place: inPod(hash, 'c1'), variables: { RANK: '0' } })],
  });
  assert.deepEqual(
    [work.id, work.pods],
    ['ml/train', [{ namespace: 'ml', name: 'train', uid: 'mirror', container: 't' }]],
  );
});

test('pods without uids and groups without names are joined where only one fits the GPU', () => {
  const given = (name: string, n: number) => podFact(name, { uid: null, containers: [{ name: 'c', id: null, variables: {}, devices: [{ resource: 'nvidia.com/gpu', id: uuid(n) }], log: null }] }); // biome-ignore format: one line
  const processes = [processFact(10, { place: inPod('uid-a') }), processFact(11, { place: inPod('uid-b') })];
  const gpus = gpuFacts(2, { 0: [10], 1: [11] });
  const { works, devices } = view({ pods: [given('a', 0), given('b', 1)], processes, gpus });
  assert.deepEqual(works.map(({ id, pods }) => [id, pods.map(({ uid }) => uid)]), [['ml/a', ['uid-a']], ['ml/b', ['uid-b']]]); // biome-ignore format: one line
  assert.deepEqual(devices.map(({ work, sharedBy }) => [work, sharedBy]), [['ml/a', 1], ['ml/b', 1]]); // biome-ignore format: one line
  const twice = view({ pods: [given('a', 0), given('b', 0)], processes, gpus });
  assert.deepEqual(twice.works.map(({ id }) => id), ['ml/a', 'ml/b', 'pod-uid-a', 'pod-uid-b']); // biome-ignore format: one line
});

test('a pod that was deleted by force while its processes live, and the next one on its GPU', () => {
  const next = podFact('next', {
    containers: [
      { name: 'c', id: 'c2', variables: {}, devices: [{ resource: 'nvidia.com/gpu', id: uuid(0) }], log: null },
    ],
  });
  const left = processFact(10, { place: inPod('uid-old', 'c1') });
  const { devices, conflicts } = view({ pods: [next], processes: [left], gpus: gpuFacts(1, { 0: [10] }) });
  assert.deepEqual(devices.map(({ work, sharedBy }) => [work, sharedBy]), [['ml/next', 2], ['pod-uid-old', 2]]); // biome-ignore format: one line
  assert.deepEqual(conflicts, [
    { about: `gpu/${gpuId(0)}`, reason: 'it was given to pod ml/next alone, and processes of pod uid-old use it' },
  ]);
});

test('a shared GPU is shared by design: each has a row, and nothing is wrong', () => {
  const pods = ['a', 'b'].map((name, n) => podFact(name, { containers: [{ name: 'c', id: `c-${name}`, variables: {}, devices: [{ resource: 'nvidia.com/gpu.shared', id: `${uuid(0)}::${n}` }], log: null }] })); // biome-ignore format: one line
  const processes = [processFact(10, { place: inPod('uid-a', 'c-a') })];
  const { devices, conflicts } = view({ pods, processes, gpus: gpuFacts(1, { 0: [10] }) });
  assert.deepEqual(devices.map(({ work, sharedBy }) => [work, sharedBy]), [['ml/a', 2], ['ml/b', 2]]); // biome-ignore format: one line
  assert.deepEqual(conflicts, []);
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
