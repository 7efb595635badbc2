// Which GPU of AMD or Intel a rank uses: by its variables as each library reads them, null where it would be a guess.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KernelGpu } from '../../../src/identity/kernel-gpus.ts';
import { devicesOf } from '../../../src/identity/rank/environment.ts';
import { kernelGpuOf } from '../../../src/identity/rank/kernel-gpu-of-rank.ts';

const gpu = (vendor: KernelGpu['vendor'], n: number, parts: number, integrated = false): KernelGpu => {
  const id = `0000:${n}b:00.0`;
  const all = Array.from({ length: parts }, (_, part) => ({ type: 'gpu_instance' as const, id: `${id}/${part}` }));
  return { vendor, component: { type: 'gpu', id, aliases: [`GPU-00000000000000a${n}`] }, parts: all, integrated };
};
const AMD = [0, 1, 2, 3].map((n) => gpu('amd', n, 0));
const CPX = [1, 2].map((n) => gpu('amd', n, 4));
const INTEL = [1, 2].map((n) => gpu('intel', n, 2));
const DESKTOP = [gpu('intel', 0, 0, true), gpu('intel', 1, 0), gpu('intel', 2, 0)];

function on(
  gpus: readonly KernelGpu[],
  localRank: number | null,
  variables: Record<string, string>,
  given: string[] = [],
): string | null {
  const id = kernelGpuOf({ localRank, devices: devicesOf(variables) }, gpus, given)?.id ?? null;
  return id === null ? null : `${id[5]}${id.slice(12)}`;
}

type Row = readonly [
  gpus: readonly KernelGpu[],
  localRank: number | null,
  variables: Record<string, string>,
  gpu: string | null,
];
const ROWS: readonly Row[] = [
  // AMD: ROCr filters first, HIP counts among what is left.
  [AMD, 2, {}, '2'],
  [AMD, null, {}, null],
  [AMD, 5, {}, null],
  [AMD, 0, { ROCR_VISIBLE_DEVICES: '3,1' }, '3'],
  [AMD, 1, { ROCR_VISIBLE_DEVICES: '3,1' }, '1'],
  [AMD, 0, { ROCR_VISIBLE_DEVICES: '3,1', HIP_VISIBLE_DEVICES: '1' }, '1'],
  [AMD, 0, { ROCR_VISIBLE_DEVICES: '3,1', CUDA_VISIBLE_DEVICES: '1' }, '1'],
  [AMD, 0, { HIP_VISIBLE_DEVICES: '2', CUDA_VISIBLE_DEVICES: '0' }, '2'],
  [AMD, 7, { ROCR_VISIBLE_DEVICES: '2' }, '2'],
  [AMD, 0, { ROCR_VISIBLE_DEVICES: 'GPU-00000000000000A3' }, '3'],
  [AMD, 0, { ROCR_VISIBLE_DEVICES: 'GPU-0000' }, null],
  // What follows an entry that names none is not read.
  [AMD, 1, { ROCR_VISIBLE_DEVICES: '0,9,1' }, '0'],
  [AMD, 0, { ROCR_VISIBLE_DEVICES: '-1' }, null],
  [AMD, 0, { ONEAPI_DEVICE_SELECTOR: 'hip:2' }, '2'],
  // The parts of a split GPU are devices of their own, in the order of the nodes.
  [CPX, 5, {}, '2/1'],
  [CPX, 0, { HIP_VISIBLE_DEVICES: '6' }, '2/2'],
  // A scheduler's list counts over the host; the libraries count from 0 where it shuts the others out.
  [AMD, 1, { SLURM_JOB_GPUS: '2,3' }, '3'],
  [AMD, 0, { SLURM_JOB_GPUS: '2', ROCR_VISIBLE_DEVICES: '0' }, '2'],
  [AMD, 0, { SLURM_JOB_GPUS: '2,3', ROCR_VISIBLE_DEVICES: '2,3' }, '2'],
  [AMD, 0, { SLURM_JOB_GPUS: '0,1', ROCR_VISIBLE_DEVICES: '1' }, '1'],
  [AMD, 0, { SLURM_JOB_GPUS: '1,2', ROCR_VISIBLE_DEVICES: '1' }, null],
  [AMD, 0, { SLURM_JOB_GPUS: '8,9' }, null],
  // Level Zero: each tile is a device, unless the hierarchy is composite.
  [INTEL, 3, {}, '2/1'],
  [INTEL, 1, { ZE_FLAT_DEVICE_HIERARCHY: 'COMPOSITE' }, '2'],
  [INTEL, 0, { ZE_AFFINITY_MASK: '3' }, '2/1'],
  [INTEL, 0, { ZE_AFFINITY_MASK: '1', ZE_FLAT_DEVICE_HIERARCHY: 'COMPOSITE' }, '2'],
  [INTEL, 0, { ZE_AFFINITY_MASK: '1.0', ZE_FLAT_DEVICE_HIERARCHY: 'COMPOSITE' }, '2/0'],
  [INTEL, 0, { ZE_AFFINITY_MASK: '0.0,0.1', ZE_FLAT_DEVICE_HIERARCHY: 'COMPOSITE' }, '1'],
  // A mask has no order.
  [INTEL, 0, { ZE_AFFINITY_MASK: '3,0' }, '1/0'],
  [INTEL, 1, { ZE_AFFINITY_MASK: '3,0' }, '2/1'],
  [INTEL, 0, { ONEAPI_DEVICE_SELECTOR: 'level_zero:2' }, '2/0'],
  [INTEL, 1, { ONEAPI_DEVICE_SELECTOR: 'level_zero:1.*', ZE_FLAT_DEVICE_HIERARCHY: 'COMPOSITE' }, '2/1'],
  [INTEL, 1, { ONEAPI_DEVICE_SELECTOR: 'level_zero:gpu' }, '1/1'],
  [INTEL, 1, { ONEAPI_DEVICE_SELECTOR: '*:gpu;opencl:cpu' }, '1/1'],
  // After the mask.
  [INTEL, 0, { ZE_AFFINITY_MASK: '2,3', ONEAPI_DEVICE_SELECTOR: 'level_zero:1' }, '2/1'],
  // How other backends count is not known here, nor over all of them.
  [INTEL, 0, { ONEAPI_DEVICE_SELECTOR: 'opencl:1' }, null],
  [INTEL, 0, { ONEAPI_DEVICE_SELECTOR: '*:1' }, null],
  [INTEL, 0, { ONEAPI_DEVICE_SELECTOR: '!level_zero:0' }, null],
  // What is in the CPU's package comes last, unless asked otherwise; a mask counts by address.
  [DESKTOP, 0, {}, '1'],
  [DESKTOP, 0, { ZE_ENABLE_PCI_ID_DEVICE_ORDER: '1' }, '0'],
  [DESKTOP, 0, { ZE_AFFINITY_MASK: '0' }, '0'],
  // Of two vendors the one that the variables are of.
  [[...AMD, ...INTEL], 0, {}, null],
  [[...AMD, ...INTEL], 0, { ROCR_VISIBLE_DEVICES: '2' }, '2'],
  [[...AMD, ...INTEL], 0, { ZE_AFFINITY_MASK: '3' }, '2/1'],
]; // biome-ignore format: one row a case

for (const [gpus, localRank, variables, expected] of ROWS)
  test(`${gpus.map(({ vendor, parts }) => `${vendor}${parts.length || ''}`).join(' ')}: local rank ${localRank}, ${JSON.stringify(variables)}`, () =>
    assert.equal(on(gpus, localRank, variables), expected));

test('in a container only what it was given is there', () => {
  assert.equal(on(AMD, 0, { HIP_VISIBLE_DEVICES: '1' }, ['0000:2b:00.0', '0000:3b:00.0']), '3');
  assert.equal(on(CPX, 1, {}, ['0000:1b:00.0/3', '0000:2b:00.0/0']), '2/0');
  assert.equal(on(AMD, 9, {}, ['0000:2b:00.0']), '2', 'all that it has');
  assert.equal(on(AMD, 0, { SLURM_JOB_GPUS: '0' }, ['0000:2b:00.0']), '2', 'a job in a pod');
});
