// Jobs on parts of GPUs: MIG instances of one profile told apart, by the driver's list and by every name that they have; partitions of
// AMD's and cards of Intel's by the kernel's list and what their plugins gave.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostGpus } from '../../../src/identity/host-gpus.ts';
import type { KernelGpu } from '../../../src/identity/kernel-gpus.ts';
import { whoseNow } from '../../../src/identity/whose/whose-now.ts';
import { assemble } from '../../../src/identity/work/assemble.ts';
import type { PodDevice } from '../../../src/identity/work/facts.ts';
import { factsOf, gpuFacts, gpuId, podFact, processFact, scheduledFact, slurm, uuid } from './facts.ts';

const mig = (n: number) => `MIG-00000000-0000-0000-0000-00000000000${n}`;
const [FIRST, SECOND] = [mig(1), mig(2)];
const instance = (n: number) => ({ component: { type: 'gpu_instance', id: `${gpuId(0)}/${n}`, aliases: [mig(n)] }, profile: '1g.10gb' }) as const; // biome-ignore format: one line

/** Two GPUs, the first split into two instances of one profile. */
const SPLIT = { ...gpuFacts(2), instances: [instance(1), instance(2)] };

const rank = (n: number, variables: Record<string, string> = {}) =>
  processFact(40 + n, {
    place: slurm('991'),
    variables: { RANK: String(n), LOCAL_RANK: String(n), WORLD_SIZE: '2', ...variables },
  });

test("the driver's list of each instance tells two of one profile apart", () => {
  const gpus = new HostGpus();
  for (const gpu of SPLIT.gpus) gpus.found(gpu, 'H100');
  for (const each of SPLIT.instances) gpus.instance(each.component, each.profile, true);
  gpus.usedBy(gpuId(0), [40, 41, 99], new Map([[40, [2]], [41, [1]]])); // biome-ignore format: one line
  const { works, devices } = assemble(factsOf({ processes: [rank(0), rank(1)], gpus: gpus.facts() }));
  assert.deepEqual(works[0]?.ranks.map((each) => each.gpus), [[`${gpuId(0)}/2`], [`${gpuId(0)}/1`]]); // biome-ignore format: one line
  assert.deepEqual(devices.map(({ device, ranks }) => [device, ranks]), [
    [`gpu/${gpuId(0)}`, []],
    [`gpu_instance/${gpuId(0)}/1`, [1]],
    [`gpu_instance/${gpuId(0)}/2`, [0]],
  ]); // biome-ignore format: one row a device
});

const LISTS: readonly (readonly [variables: Record<string, string>, gpus: string[]])[] = [
  [{ CUDA_VISIBLE_DEVICES: SECOND }, [`${gpuId(0)}/2`]],
  [{ CUDA_VISIBLE_DEVICES: SECOND.toLowerCase() }, [`${gpuId(0)}/2`]],
  [{ CUDA_VISIBLE_DEVICES: `MIG-${uuid(0)}/2/0` }, [`${gpuId(0)}/2`]],
  [{ NVIDIA_VISIBLE_DEVICES: FIRST }, [`${gpuId(0)}/1`]],
  [{ NVIDIA_VISIBLE_DEVICES: FIRST, CUDA_VISIBLE_DEVICES: '0' }, [`${gpuId(0)}/1`]],
  [{ CUDA_VISIBLE_DEVICES: `${FIRST},${SECOND}` }, [`${gpuId(0)}/1`]],
  [{ NVIDIA_VISIBLE_DEVICES: `${FIRST},${SECOND}` }, []],
  [{ CUDA_VISIBLE_DEVICES: mig(9) }, []],
  [{ CUDA_VISIBLE_DEVICES: `MIG-${uuid(5)}/2/0` }, []],
  [{ CUDA_VISIBLE_DEVICES: `MIG-${uuid(0)}/7/0` }, []],
];
for (const [variables, expected] of LISTS)
  test(`MIG by ${JSON.stringify(variables)}`, () => {
    const { works } = assemble(factsOf({ processes: [rank(0, variables)], gpus: SPLIT }));
    assert.deepEqual(works[0]?.ranks[0]?.gpus, expected);
  });

test('a list that names another instance than the driver does is not believed', () => {
  const users = new Map([[`${gpuId(0)}/1`, [40]]]);
  const { works } = assemble(
    factsOf({ processes: [rank(0, { CUDA_VISIBLE_DEVICES: SECOND })], gpus: { ...SPLIT, users } }),
  );
  assert.deepEqual(works[0]?.ranks[0]?.gpus, []);
});

const part = (n: number, name: string) => ({ type: 'gpu_instance', id: `0000:05:00.0/${n}`, aliases: [name, `renderD${128 + n}`] }) as const; // biome-ignore format: one line
const CPX: KernelGpu = {
  vendor: 'amd',
  component: { type: 'gpu', id: '0000:05:00.0' },
  parts: [part(0, 'card1'), part(1, 'amdgpu_xcp_0')],
  integrated: false,
};
const ARC: KernelGpu = {
  vendor: 'intel',
  component: { type: 'gpu', id: '0000:51:00.0', aliases: ['card2', 'renderD140'] },
  parts: [],
  integrated: false,
};

const podWith = (name: string, ...devices: PodDevice[]) =>
  podFact(name, { containers: [{ name: 'c', id: null, variables: {}, devices, log: null }] });

test("ranks on partitions of one GPU by the compute driver's list, and a fault of the GPU is of all of them", () => {
  const users = new Map([['0000:05:00.0/0', [41]], ['0000:05:00.0/1', [40]]]); // biome-ignore format: one line
  const view = assemble(
    factsOf({
      processes: [rank(0, { ROCR_VISIBLE_DEVICES: '1' }), rank(1, { ROCR_VISIBLE_DEVICES: '0' })],
      gpus: { ...gpuFacts(0), kernel: [CPX], users },
    }),
  );
  assert.deepEqual(view.works[0]?.ranks.map((each) => each.gpus), [['0000:05:00.0/1'], ['0000:05:00.0/0']]); // biome-ignore format: one line
  assert.deepEqual(whoseNow(view).get('gpu_instance/0000:05:00.0/1')?.whose.map(({ job, ranks }) => [job, ranks]), [['991', [0]]]); // biome-ignore format: one line
});

test('what the plugins and drivers of claims of AMD and Intel give', () => {
  const gpus = { ...gpuFacts(0), kernel: [CPX, ARC] };
  const pods = [
    podWith('first', { resource: 'amd.com/gpu', id: '0000:05:00.0' }),
    podWith('second', { resource: 'amd.com/cpx_nps1', id: 'amdgpu_xcp_0' }),
    podWith('third', { resource: 'gpu.intel.com/xe', id: 'card2-0' }),
    podWith('fourth', { resource: 'gpu.intel.com/xe', id: 'card2-1' }),
  ];
  const { devices, conflicts } = assemble(factsOf({ pods, gpus }));
  assert.deepEqual(devices.map(({ device, work, sharedBy }) => [device, work, sharedBy]), [
    ['gpu/0000:51:00.0', 'ml/fourth', 2],
    ['gpu/0000:51:00.0', 'ml/third', 2],
    ['gpu_instance/0000:05:00.0/0', 'ml/first', 1],
    ['gpu_instance/0000:05:00.0/1', 'ml/second', 1],
  ]); // biome-ignore format: one row a device
  assert.deepEqual(conflicts, []);
  const claims = [
    podWith('first', { resource: 'gpu.amd.com', id: 'gpu-2-129' }),
    podWith('second', { resource: 'gpu.intel.com', id: '0000-51-00-0-0x56c0' }),
  ];
  assert.deepEqual(assemble(factsOf({ pods: claims, gpus })).devices.map(({ device, work }) => [device, work]), [
    ['gpu/0000:51:00.0', 'ml/second'],
    ['gpu_instance/0000:05:00.0/1', 'ml/first'],
  ]); // biome-ignore format: one row a device
});

test("a scheduler's indices count the kernel's GPUs where there are no others", () => {
  const gpus = { ...gpuFacts(0), kernel: [CPX] };
  const scheduled = [scheduledFact('991', { gpus: [1] })];
  assert.deepEqual(assemble(factsOf({ scheduled, gpus })).devices.map(({ device }) => device), ['gpu_instance/0000:05:00.0/1']); // biome-ignore format: one line
});
