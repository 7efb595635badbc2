// Any order in which news of processes, groups, pods, jobs, GPUs and network cards comes ends in the same view.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HostGpus } from '../../../src/identity/host-gpus.ts';
import { HostNics, NO_NICS } from '../../../src/identity/host-nics.ts';
import type { PodFact, ProcessFact, ScheduledJobFact } from '../../../src/identity/work/facts.ts';
import { podKey, processKey, scheduledKey, Works } from '../../../src/identity/work/works.ts';
import { runs } from '../../runs.ts';
import { gpuFacts, gpuId, NOWHERE, nicFacts, podFact, processFact, scheduledFact, slurm, uuid } from './facts.ts';

type News = (works: Works, gpus: HostGpus, nics: HostNics) => void;
/** What is last known under a key, and the news that bring it there by a detour. */
interface Known {
  readonly key: string;
  readonly news: readonly News[];
}

const SILENT = { localRank: null, nodes: null, nodeRank: null, perNode: null, titleRank: null };
const ONE_NODE = { ...SILENT, nodes: 1, nodeRank: 0 };
const small = fc.integer({ min: 0, max: 3 });
const job = fc.constantFrom('991', '992');

const processOf = fc.record({
  pid: fc.integer({ min: 2, max: 9 }),
  user: fc.constantFrom(0, 1000, 2000),
  parent: fc.integer({ min: 1, max: 9 }),
  where: fc.oneof(
    job.map((id) => slurm(id, '0')),
    small.map((n) => ({ ...NOWHERE, pod: `uid-${n}`, container: `c${n}` })),
    fc.constant(NOWHERE),
    fc.constant({ ...NOWHERE, container: 'd'.repeat(64), runtime: 'docker' }),
  ),
  variables: fc.record(
    { NCCL_IB_HCA: fc.constantFrom('mlx5_0', '=mlx5_1', '^mlx5_2'), RANK: small.map(String), WORLD_SIZE: fc.constant('4'), SLURM_JOB_ID: job, SLURM_PROCID: small.map(String), TORCHELASTIC_RUN_ID: fc.constant('run') },
    { requiredKeys: [] },
  ),
  launcher: fc.constantFrom(null, null, 'torchrun'),
  said: fc.constantFrom(null, ONE_NODE, { ...ONE_NODE, nodes: 2, nodeRank: 1 }, { ...SILENT, titleRank: 1 }, { ...SILENT, localRank: 0 }),
  devices: fc.uniqueArray(small.map((n) => `/dev/infiniband/uverbs${n}`), { maxLength: 2 }),
}); // biome-ignore format: one field a line

function newsOfProcess({
  pid,
  user,
  parent,
  where,
  variables,
  launcher,
  said,
  devices,
}: typeof processOf extends fc.Arbitrary<infer T> ? T : never): Known {
  const fact: ProcessFact = processFact(pid, {
    owner: [user],
    parent,
    place: where,
    variables: variables as Record<string, string>,
    launcher,
    said,
    devices,
  });
  const before = processFact(pid, { variables: { RANK: '3', SLURM_JOB_ID: '992' }, place: slurm('992') });
  return {
    key: `process ${processKey(fact)}`,
    news: [
      ({ processes }) => processes.set(before),
      ({ processes }) => processes.drop(processKey(fact)),
      ({ processes }) => processes.set(fact),
    ],
  };
}

const podOf = fc.record({
  n: small,
  owner: fc.constantFrom(null, 'llama'),
  gpu: small,
  hasUid: fc.boolean(),
  phase: fc.constantFrom('Pending', 'Running'),
});

function newsOfPod({ n, owner, gpu, hasUid, phase }: typeof podOf extends fc.Arbitrary<infer T> ? T : never): Known {
  const containers = [
    {
      name: 'c',
      id: hasUid ? `c${n}` : null,
      variables: {},
      devices: [
        { resource: 'nvidia.com/gpu', id: uuid(gpu) },
        { resource: 'nvidia.com/sriov', id: `0000:d${gpu}:00.1` },
      ],
      log: null,
    },
  ];
  const fact: PodFact = podFact(`p${n}`, {
    uid: hasUid ? `uid-${n}` : null,
    owner: owner === null ? null : { kind: 'Job', name: owner },
    containers,
    phase,
  });
  return {
    key: `pod ${podKey(fact)}`,
    news: [({ pods }) => pods.set({ ...fact, containers: [], owner: null }), ({ pods }) => pods.set(fact)],
  };
}

const scheduledOf = fc.record({
  id: job,
  user: fc.constantFrom(null, 1000),
  gpus: fc.uniqueArray(small),
  pids: fc.uniqueArray(fc.integer({ min: 2, max: 9 }), { maxLength: 3 }),
});

function newsOfJob({ id, user, gpus, pids }: typeof scheduledOf extends fc.Arbitrary<infer T> ? T : never): Known {
  const tasks = pids.map((pid, rank) => ({ pid, step: '0', rank, localRank: rank }));
  const fact: ScheduledJobFact = scheduledFact(id, { userId: user, gpus, tasks });
  return {
    key: `job ${scheduledKey(fact)}`,
    news: [
      ({ scheduled }) => scheduled.set({ ...fact, tasks: [], states: ['CONFIGURING'] }),
      ({ scheduled }) => scheduled.set(fact),
    ],
  };
}

const usersOf = fc.record({ gpu: small, pids: fc.uniqueArray(fc.integer({ min: 2, max: 9 }), { maxLength: 3 }) });

function newsOfUsers({ gpu, pids }: typeof usersOf extends fc.Arbitrary<infer T> ? T : never): Known {
  const sorted = [...pids].sort((a, b) => a - b);
  return {
    key: `gpu ${gpu}`,
    news: [(_, gpus) => gpus.usedBy(gpuId(gpu), [5]), (_, gpus) => gpus.usedBy(gpuId(gpu), sorted)],
  };
}

const dumpsOf = fc.record({ user: fc.constantFrom(1000, 2000), job: fc.constantFrom('tmp', '991'), ranks: fc.uniqueArray(small, { minLength: 1 }) }); // biome-ignore format: one line

function newsOfDumps({ user, job: name, ranks }: typeof dumpsOf extends fc.Arbitrary<infer T> ? T : never): Known {
  const fact = { user, job: name, ranks: [...ranks].sort(), world: 4, atMs: 9, knownBy: 'dumps' };
  return {
    key: `dumps ${user} ${name}`,
    news: [({ dumped }) => dumped.set({ ...fact, ranks: [0, 1] }), ({ dumped }) => dumped.set(fact)],
  };
}

const cardsOf = fc.integer({ min: 1, max: 4 });

function newsOfCards(count: number): Known {
  return {
    key: 'cards',
    news: [
      (_, __, nics) => nics.found(nicFacts(4)),
      (_, __, nics) => nics.found(NO_NICS),
      (_, __, nics) => nics.found(nicFacts(count)),
    ],
  };
}

const queuesOf = fc.record({ pid: fc.integer({ min: 2, max: 9 }), card: small });

function newsOfQueues({ pid, card }: typeof queuesOf extends fc.Arbitrary<infer T> ? T : never): Known {
  return {
    key: 'queues',
    news: [
      (_, __, nics) => nics.queued(new Map([[3, ['mlx5_0']]])),
      (_, __, nics) => nics.queued(new Map([[pid, [`mlx5_${card}`]]])),
    ],
  };
}

const pidsOf = fc.uniqueArray(fc.integer({ min: 2, max: 9 }), { minLength: 1, maxLength: 3 });
const partOf = (n: number) => ({ type: 'gpu_instance', id: `${gpuId(3)}/${n}`, aliases: [`MIG-${uuid(n).slice(4)}`] }) as const; // biome-ignore format: one line

/** A GPU is split, and the driver lists processes by instance. */
function newsOfSplit(pids: readonly number[]): Known {
  const sorted = [...pids].sort((a, b) => a - b);
  const on = new Map(sorted.map((pid, at) => [pid, [1 + (at % 2)]]));
  return {
    key: 'gpu 3',
    news: [
      (_, gpus) => gpus.instance(partOf(2), '3g.40gb', true),
      (_, gpus) => gpus.usedBy(gpuId(3), sorted),
      (_, gpus) => {
        for (const n of [2, 1]) gpus.instance(partOf(n), '3g.40gb', true);
        gpus.usedBy(gpuId(3), sorted, on);
      },
    ],
  };
}

const CPX = { vendor: 'amd', component: { type: 'gpu', id: '0000:f5:00.0' }, integrated: false } as const;
const partition = (n: number) => ({ type: 'gpu_instance', id: `0000:f5:00.0/${n}`, aliases: [`renderD${128 + n}`] }) as const; // biome-ignore format: one line

/** A GPU of the kernel's list is split while processes are on it. */
function newsOfKernel(pids: readonly number[]): Known {
  const split = { ...CPX, parts: [partition(0), partition(1)] };
  return {
    key: 'kernel',
    news: [
      (_, gpus) => gpus.listedByKernel([{ ...CPX, parts: [] }], new Map([['0000:f5:00.0', pids]])),
      (_, gpus) => gpus.listedByKernel([split], new Map([['0000:f5:00.0/1', [...pids].sort((a, b) => a - b)]])),
    ],
  };
}

const world = fc
  .tuple(
    fc.array(processOf, { maxLength: 6 }),
    fc.array(podOf, { maxLength: 3 }),
    fc.array(scheduledOf, { maxLength: 2 }),
    fc.array(usersOf, { maxLength: 3 }),
    fc.array(cardsOf, { maxLength: 1 }),
    fc.array(dumpsOf, { maxLength: 2 }),
    fc.array(queuesOf, { maxLength: 1 }),
    fc.array(pidsOf, { maxLength: 1 }),
    fc.array(pidsOf, { maxLength: 1 }),
  )
  .map(([processes, pods, jobs, users, cards, dumps, queues, split, kernel]) => {
    const all = [
      ...processes.map(newsOfProcess),
      ...pods.map(newsOfPod),
      ...jobs.map(newsOfJob),
      ...users.map(newsOfUsers),
      ...cards.map(newsOfCards),
      ...dumps.map(newsOfDumps),
      ...queues.map(newsOfQueues),
      ...split.map(newsOfSplit),
      ...kernel.map(newsOfKernel),
    ];
    return [...new Map(all.map((each) => [each.key, each])).values()];
  });

/** Each key's news in their order, the keys among each other as `order` draws them; views are looked at on the way. */
function after(known: readonly Known[], order: readonly number[]): unknown {
  const gpus = new HostGpus();
  for (const [n, component] of gpuFacts(4).gpus.entries()) gpus.found(component, 'H100', n);
  const nics = new HostNics();
  const works = new Works(gpus, nics, () => 0);
  const waiting = known.map(({ news }) => [...news]);
  for (let at = 0; waiting.some(({ length }) => length > 0); at += 1) {
    const open = waiting.filter(({ length }) => length > 0);
    open[(order[at % order.length] ?? 0) % open.length]?.shift()?.(works, gpus, nics);
    if (at % 3 === 0) works.fresh();
  }
  const { version, ...view } = works.fresh();
  return view;
}

test('any interleaving of news ends in the same view', () => {
  fc.assert(
    fc.property(
      world,
      fc.array(fc.nat(50), { minLength: 1, maxLength: 30 }),
      fc.array(fc.nat(50), { minLength: 1, maxLength: 30 }),
      (known, one, other) => assert.deepEqual(after(known, one), after([...known].reverse(), other)),
    ),
    { numRuns: runs(150, 20_000), seed: 14 },
  );
});

test('the view that followed each change is the one that is made of the last facts at once', () => {
  fc.assert(
    fc.property(world, fc.array(fc.nat(50), { minLength: 1, maxLength: 30 }), (known, order) => {
      const last = known.map(({ key, news }) => ({ key, news: news.slice(-1) }));
      assert.deepEqual(after(known, order), after(last, [0]));
    }),
    { numRuns: runs(150, 20_000), seed: 16 },
  );
});

test('no process is in two jobs, no name means two jobs, and no job is of two users by their word alone', () => {
  fc.assert(
    fc.property(world, (known) => {
      const { works } = after(known, [0]) as ReturnType<Works['view']>;
      const pids = works.flatMap(({ ranks }) => ranks.flatMap(({ pid }) => pid ?? []));
      assert.equal(new Set(pids).size, pids.length);
      const names = works.flatMap(({ id, aliases }) => [id, ...aliases]);
      assert.equal(new Set(names).size, names.length, names.join());
      for (const { ranks } of works) assert.deepEqual(ranks.map(({ rank }) => rank), [...new Set(ranks.map(({ rank }) => rank))].sort((a, b) => a - b)); // biome-ignore format: one line
    }),
    { numRuns: runs(150, 20_000), seed: 15 },
  );
});
