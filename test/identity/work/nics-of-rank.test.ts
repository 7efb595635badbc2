// Which network cards ranks work through: what they have open, what their variables choose, what their pods were given.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whoseNow } from '../../../src/identity/whose/whose-now.ts';
import { assemble } from '../../../src/identity/work/assemble.ts';
import type { ProcessFact } from '../../../src/identity/work/facts.ts';
import { nicOf, nicsOfProcess, unknownInterface } from '../../../src/identity/work/nics-of-rank.ts';
import { workLabels } from '../../../src/sinks/work/work-labels.ts';
import { factsOf, NOWHERE, nicFacts, nicId, podFact, processFact, slurm } from './facts.ts';

const FOUR = nicFacts(4);
const chosen = (variables: Record<string, string>, given: Partial<ProcessFact> = {}) =>
  nicsOfProcess(processFact(7, { variables, ...given }), null, FOUR).map(({ nic }) => Number(nic[6]));

const CHOICES: readonly (readonly [Record<string, string>, number[]])[] = [
  [{}, []],
  [{ NCCL_IB_HCA: 'mlx5_1' }, [1]],
  [{ NCCL_IB_HCA: 'mlx5' }, [0, 1, 2, 3]], // names that begin so
  [{ NCCL_IB_HCA: '=mlx5' }, []],
  [{ NCCL_IB_HCA: '=mlx5_0:1,mlx5_3:1' }, [0, 3]],
  [{ NCCL_IB_HCA: '^mlx5_2' }, [0, 1, 3]],
  [{ NCCL_IB_HCA: '^=mlx5_2,mlx5_0' }, [1, 3]],
  [{ NCCL_IB_HCA: '' }, []],
  [{ NCCL_IB_HCA: 'bnxt_re0' }, []],
  [{ NCCL_IB_HCA: 'mlx5_1', NCCL_IB_DISABLE: '1' }, []],
  [{ NCCL_IB_HCA: 'mlx5_1', NCCL_IB_DISABLE: '0' }, [1]],
  [{ UCX_NET_DEVICES: 'mlx5_0:1,mlx5_2:1' }, [0, 2]],
  [{ UCX_NET_DEVICES: 'all' }, []],
  [{ NCCL_SOCKET_IFNAME: 'ib3' }, [3]],
  [{ NCCL_SOCKET_IFNAME: 'ib' }, [0, 1, 2, 3]],
  [{ NCCL_SOCKET_IFNAME: '^docker,lo' }, []], // the library takes what answers first
  [{ GLOO_SOCKET_IFNAME: 'ib1' }, [1]],
  [{ GLOO_SOCKET_IFNAME: 'ib' }, []],
  [{ NCCL_IB_HCA: 'mlx5_0', NCCL_SOCKET_IFNAME: '=ib2' }, [0, 2]],
];
for (const [variables, cards] of CHOICES)
  test(`cards of ${JSON.stringify(variables)}`, () => assert.deepEqual(chosen(variables), cards));

test('what a process has open counts before what its variables choose', () => {
  const open = { devices: ['/dev/infiniband/uverbs2', '/dev/infiniband/uverbs9'] };
  assert.deepEqual(chosen({ NCCL_IB_HCA: 'mlx5_0' }, open), [2]);
});

test('queues count before what is open: libraries open every device to look at it', () => {
  const open = { devices: ['/dev/infiniband/uverbs0', '/dev/infiniband/uverbs1', '/dev/infiniband/uverbs2'] };
  const nics = { ...FOUR, queues: new Map([[7, [nicId(1), nicId(3)]]]) };
  const uses = nicsOfProcess(processFact(7, { ...open, variables: { NCCL_IB_HCA: 'mlx5' } }), null, nics);
  assert.deepEqual(uses.map(({ nic, knownBy }) => [nic, knownBy]), [
    [nicId(1), 'its queues on RDMA devices'],
    [nicId(3), 'its queues on RDMA devices'],
  ]); // biome-ignore format: one row a card
});

test('an interface of a container is not the one of the same name here', () => {
  const inside = { place: { ...NOWHERE, container: 'c'.repeat(64) } };
  assert.deepEqual(chosen({ NCCL_SOCKET_IFNAME: 'ib3', NCCL_IB_HCA: 'mlx5_1' }, inside), [1]);
});

test('interfaces of a pod are those of the node where it has its network, else what its CNI says', () => {
  const inside = processFact(7, {
    place: { ...NOWHERE, pod: 'uid-a', container: 'c'.repeat(64) },
    variables: { NCCL_SOCKET_IFNAME: 'net1' },
  });
  const container = { name: 'c', id: null, variables: {}, devices: [], log: null };
  const cards = (process: ProcessFact, network: 'host' | Record<string, string>) =>
    nicsOfProcess(process, { ...container, network }, FOUR).map(({ nic, knownBy }) => [nic, knownBy]);
  assert.deepEqual(cards(inside, { eth0: '0000:ff:00.0', net1: '0000:d2:00.1', net10: 'mlx5_0' }), [
    [nicId(0), 'NCCL_SOCKET_IFNAME'],
    [nicId(2), 'NCCL_SOCKET_IFNAME'],
  ]); // biome-ignore format: one row a card
  assert.deepEqual(cards(inside, 'host'), []);
  assert.deepEqual(cards({ ...inside, variables: { NCCL_SOCKET_IFNAME: '=ib3' } }, 'host'), [
    [nicId(3), 'NCCL_SOCKET_IFNAME'],
  ]);
});

test('a choice among interfaces that nothing knows is named, so that doctor can say what is lost', () => {
  const inside: ProcessFact['place'] = { ...NOWHERE, container: 'c'.repeat(64) };
  const chooses = (text: string, place = inside) => processFact(7, { place, variables: { GLOO_SOCKET_IFNAME: text } });
  const container = { name: 'c', id: null, variables: {}, devices: [], log: null };
  assert.equal(unknownInterface(chooses('eth0'), null), 'GLOO_SOCKET_IFNAME');
  assert.equal(unknownInterface(chooses('eth0'), container), 'GLOO_SOCKET_IFNAME');
  assert.equal(unknownInterface(chooses('eth0'), { ...container, network: 'host' }), null);
  assert.equal(unknownInterface(chooses('^docker'), null), null);
  assert.equal(unknownInterface(chooses('eth0', NOWHERE), null), null);
});

test('a card by its address, a virtual function of it, its RDMA device; a counter is none', () => {
  assert.equal(nicOf('0000:d1:00.0', FOUR), nicId(1));
  assert.equal(nicOf('0000:D1:00.1', FOUR), nicId(1));
  assert.equal(nicOf('mlx5_3', FOUR), nicId(3));
  for (const none of ['0', '999', '0000:d9:00.0', '']) assert.equal(nicOf(none, FOUR), null);
});

test('ranks of one job share its cards, and what a rank starts adds none by its variables', () => {
  const rank = (n: number) => ({ RANK: String(n), WORLD_SIZE: '2', NCCL_IB_HCA: `=mlx5_${n}` });
  const processes = [
    processFact(10, { place: slurm('991'), variables: rank(0) }),
    processFact(11, { place: slurm('991'), variables: rank(1), devices: ['/dev/infiniband/uverbs0'] }),
    processFact(12, { place: slurm('991'), parent: 10, variables: { ...rank(0), NCCL_IB_HCA: 'mlx5' } }),
  ];
  const { works, devices } = assemble(factsOf({ processes, nics: FOUR }));
  assert.deepEqual(works[0]?.ranks.map(({ nics }) => nics), [[nicId(0)], [nicId(0)]]); // biome-ignore format: one line
  assert.deepEqual(devices, [
    {
      device: `nic/${nicId(0)}`,
      work: '991',
      ranks: [0, 1],
      pod: null,
      sharedBy: 1,
      knownBy: 'NCCL_IB_HCA, verbs devices that it has open',
    },
  ]);
});

test('pods with functions of one card share it, without a conflict', () => {
  const pod = (name: string) =>
    podFact(name, {
      containers: [{ name: 'c', id: null, variables: {}, devices: [{ resource: 'nvidia.com/sriov', id: '0000:d0:00.1' }], log: null }],
    }); // biome-ignore format: one line a container
  const { devices, conflicts } = assemble(factsOf({ pods: [pod('a'), pod('b')], nics: FOUR }));
  assert.deepEqual(devices.map(({ device, work, sharedBy }) => [device, work, sharedBy]), [
    [`nic/${nicId(0)}`, 'ml/a', 2],
    [`nic/${nicId(0)}`, 'ml/b', 2],
  ]); // biome-ignore format: one row a pod
  assert.deepEqual(conflicts, []);
});

test('what a container was given bounds what its variables choose', () => {
  const container = {
    name: 'c',
    id: null,
    variables: { NCCL_IB_HCA: 'mlx5' },
    devices: [{ resource: 'rdma/hca', id: '0000:d2:00.1' }],
    log: null,
  };
  const uses = nicsOfProcess(processFact(7), container, FOUR);
  assert.deepEqual(uses, [{ nic: nicId(2), knownBy: 'NCCL_IB_HCA' }]);
});

test('a fault of a card is of the job that uses it, and its series have that job’s labels while it is the only one', () => {
  const uses = (pid: number, job: string, card: number) =>
    processFact(pid, { place: slurm(job), variables: { RANK: '0', WORLD_SIZE: '1', NCCL_IB_HCA: `=mlx5_${card}` } });
  const seen = (...processes: ProcessFact[]) => {
    const view = assemble(factsOf({ processes, nics: FOUR }));
    const jobs = whoseNow(view)
      .get(`nic/${nicId(0)}`)
      ?.whose.map(({ job, ranks }) => [job, ranks]);
    return [jobs, workLabels(view).get(`nic/${nicId(0)}`)?.hpcJob];
  };
  assert.deepEqual(seen(uses(10, '991', 0)), [[['991', [0]]], '991']);
  assert.deepEqual(seen(uses(10, '991', 0), uses(11, '992', 0)), [[['991', [0]], ['992', [0]]], undefined]); // biome-ignore format: one line
  assert.deepEqual(seen(uses(10, '991', 1)), [undefined, undefined]);
});
