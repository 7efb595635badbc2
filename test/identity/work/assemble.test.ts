// Which job, rank, pod and device belong together, from what sources say of each alone.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gpuFacts, gpuId, NOWHERE, podFact, processFact, scheduledFact, slurm, uuid } from './facts.ts';
import { inPod, only, ranks, task, view } from './views.ts';

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

test('a job is over when its scheduler says so and no process of it is left', () => {
  const over = scheduledFact('991', { isOver: true, states: ['COMPLETED'] });
  assert.equal(only({ scheduled: [over] }).isOver, true);
  assert.equal(only({ scheduled: [over], processes: [task(400, 0)] }).isOver, false);
  assert.equal(only({ scheduled: [scheduledFact('991')] }).isOver, false);
});
