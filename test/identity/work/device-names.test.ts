// What device plugins, drivers of claims and schedulers call a GPU: each form, and that nothing unknown is guessed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceOf, gpuOfIndex } from '../../../src/identity/work/device-names.ts';
import { gpuFacts, gpuId, uuid } from './facts.ts';

const MIG = 'MIG-00000000-0000-0000-0000-000000000007';
const instance = (n: number, profile: string, alias: string) =>
  ({ component: { type: 'gpu_instance', id: `${gpuId(1)}/${n}`, aliases: [alias] }, profile }) as const;
const gpus = {
  ...gpuFacts(4),
  // The driver's numbers and those of the device files are not the same.
  minors: new Map([3, 2, 1, 0].map((minor, n) => [minor, gpuId(n)])),
  instances: [instance(5, '1g.10gb', MIG), instance(6, '3g.40gb+me', 'MIG-x'), instance(7, '2g.20gb', 'MIG-y'), instance(8, '2g.20gb', 'MIG-z')],
}; // biome-ignore format: one row a field

// biome-ignore format: one row a form
const FORMS: readonly (readonly [name: string, id: string, device: string | null, shared?: boolean])[] = [
  ["NVIDIA's plugin", uuid(2), `gpu/${gpuId(2)}`],
  ['a UUID in capital letters', uuid(2).toUpperCase(), `gpu/${gpuId(2)}`],
  ['time slicing and MPS', `${uuid(2)}::3`, `gpu/${gpuId(2)}`, true],
  ['MIG', MIG, `gpu_instance/${gpuId(1)}/5`],
  ['MIG, shared', `${MIG}::1`, `gpu_instance/${gpuId(1)}/5`, true],
  ['GKE', 'nvidia0', `gpu/${gpuId(3)}`],
  ['GKE, shared', 'nvidia0/vgpu3', `gpu/${gpuId(3)}`, true],
  ['GKE, MIG', 'nvidia2/gi5', `gpu_instance/${gpuId(1)}/5`],
  ['GKE, MIG, shared', 'nvidia2/gi5/vgpu1', `gpu_instance/${gpuId(1)}/5`, true],
  ['AMD', gpuId(1), `gpu/${gpuId(1)}`],
  ['HAMi and Volcano', `${uuid(0)}-4`, `gpu/${gpuId(0)}`, true],
  ['a claim', 'gpu-3', `gpu/${gpuId(0)}`],
  ['a claim for a virtual machine', 'gpu-vfio-3', `gpu/${gpuId(0)}`],
  ['a claim of an instance', 'gpu-2-mig-1g10gb-19-0', `gpu_instance/${gpuId(1)}/5`],
  ['a claim of an instance with media engines', 'gpu-2-mig-3g.40gb-me-5-0', `gpu_instance/${gpuId(1)}/6`],
  ['a claim that two instances fit', 'gpu-2-mig-2g20gb-14-0', null],
  ['MIG as CUDA took it before it had names', `MIG-${uuid(1)}/6/0`, `gpu_instance/${gpuId(1)}/6`],
  ['a partition of AMD that the driver does not list', 'amdgpu_xcp_30', null],
  ['a shared NIC, which is only counted', '17', null],
  ['a channel of a compute domain, which is not a GPU', 'channel-0', null],
  ['the daemon of a compute domain', 'daemon-0', null],
  ['an address of another device', '0000:ff:00.1', null],
  ['Intel', 'card0-0', null],
  ['a GPU of another host', 'GPU-99999999-0000-0000-0000-000000000000', null],
  ['nothing', '', null],
  ['a text that only begins like one', `${uuid(2)}; rm`, null],
];

for (const [name, id, device, shared = false] of FORMS) {
  test(name, () => assert.deepEqual(deviceOf(id, gpus, 'nvidia.com/gpu'), device === null ? null : { device, shared }));
}

test("AMD's GPUs, which no driver lists here, are known by their address, and only as AMD's plugin gives them", () => {
  const given = (id: string, resource: string) => deviceOf(id, gpuFacts(0), resource);
  assert.deepEqual(given('0000:19:00.0', 'amd.com/gpu'), { device: 'gpu/0000:19:00.0', shared: false });
  assert.equal(given('0000:19:00.0', 'intel.com/sriov'), null);
  assert.equal(given('amdgpu_xcp_30', 'amd.com/gpu'), null);
});

test("a scheduler's index is the driver's", () => {
  assert.deepEqual([gpuOfIndex(1, gpus), gpuOfIndex(9, gpus)], [`gpu/${gpuId(1)}`, null]);
});
