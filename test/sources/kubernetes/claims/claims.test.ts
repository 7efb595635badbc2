// Devices of claims (DRA): known by the files that drivers write for the container runtime, else by their ResourceSlices, in every
// version of those; what neither has keeps the driver's own name.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { deviceGiven } from '../../../../src/identity/work/device-names.ts';
import { nicGiven } from '../../../../src/identity/work/nics-of-rank.ts';
import { CdiFiles } from '../../../../src/sources/kubernetes/claims/cdi-files.ts';
import { gpuFacts, gpuId, nicFacts, nicId, uuid } from '../../../identity/work/facts.ts';
import { until } from '../../../until.ts';
import { fakeApi } from '../api/fake-api.ts';
import { encodeClaims } from '../encode.ts';
import { FakeKubelet } from '../fake-kubelet.ts';
import { started, temporary } from '../support.ts';

const CLAIM = 'dab5ab50-d59a-42a6-af16-cfd4628c0f7a';
const OTHER = 'eab5ab50-d59a-42a6-af16-cfd4628c0f7b';
const MIG = 'gpu-1-mig-1g10gb-19-0';
const cdi = (device: string, claim = CLAIM) => `k8s.gpu.nvidia.com/claim=${claim}-${device}`;

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A file as NVIDIA's driver writes it for one claim. */
function claimFile(folder: string, device: string, nodes: readonly string[], claim = CLAIM): void {
  const rows = nodes.map((node) => `        - path: ${node}`).join('\n');
  put(join(folder, `cdi/k8s.gpu.nvidia.com-claim_${claim}.yaml`), `---
cdiVersion: 0.7.0
kind: k8s.gpu.nvidia.com/claim
devices:
  - name: ${claim}-${device}
    containerEdits:
      deviceNodes:
${rows}
containerEdits:
  env:
    - NVIDIA_VISIBLE_DEVICES=void
  deviceNodes:
    - path: /dev/nvidiactl
    - path: /dev/nvidia-uvm
`);
} // biome-ignore format: as the file is

function minors(folder: string): void {
  put(
    join(folder, 'proc/driver/nvidia-caps/mig-minors'),
    'config 1\nmonitor 2\ngpu1/gi5/access 147\ngpu1/gi5/ci0/access 148\ngpu1/gi6/access 156\ngpu1/gi6/ci0/access 157\n',
  );
}

async function given(t: TestContext, folder: string, list: Buffer, settings = {}) {
  const kubelet = new FakeKubelet(folder, { podsApi: false });
  t.after(() => kubelet.stop());
  kubelet.list = list;
  await kubelet.start();
  const { identity, source } = started(t, folder, settings);
  const devices = () => identity.work.pods.values().flatMap(({ name, containers }) => containers.flatMap((each) => each.devices.map(({ id, also }) => [name, id, ...(also ?? [])].join(' '))));
  await until(() => devices().length > 0);
  return { devices, notes: () => (source.health()[0]?.notes ?? []).filter((note) => note.startsWith('claims')) };
} // biome-ignore format: one line each

/** Two GPUs, the second split into two instances of one profile. */
const GPUS = {
  ...gpuFacts(2),
  instances: [5, 6].map((n) => ({
    component: { type: 'gpu_instance' as const, id: `${gpuId(1)}/${n}` },
    profile: '1g.10gb',
  })),
};

test('two instances of one profile are told apart by the capability files of their claims', async (t) => {
  const folder = temporary(t);
  minors(folder);
  const caps = (n: number) => [
    '/dev/nvidia1',
    `/dev/nvidia-caps/nvidia-cap${n}`,
    `/dev/nvidia-caps/nvidia-cap${n + 1}`,
  ];
  claimFile(folder, MIG, caps(147));
  claimFile(folder, 'gpu-1-mig-1g10gb-19-4', caps(156), OTHER);
  const list = encodeClaims({ 'ml/a': { [MIG]: [cdi(MIG)] }, 'ml/b': { 'gpu-1-mig-1g10gb-19-4': [cdi('gpu-1-mig-1g10gb-19-4', OTHER)] } }); // biome-ignore format: one line
  const { devices, notes } = await given(t, folder, list);
  assert.deepEqual(devices(), [`a ${MIG} nvidia1/gi5`, 'b gpu-1-mig-1g10gb-19-4 nvidia1/gi6']);
  assert.deepEqual(notes(), ['claims: 2 devices by CDI files, 0 by ResourceSlices']);
  const device = (also: string[]) => deviceGiven({ resource: 'gpu.nvidia.com', id: MIG, also }, GPUS)?.device;
  assert.deepEqual([device(['nvidia1/gi5']), device(['nvidia1/gi6']), device([])], [`gpu_instance/${gpuId(1)}/5`, `gpu_instance/${gpuId(1)}/6`, undefined]); // biome-ignore format: one line
});

const NODES: readonly (readonly [what: string, device: string, nodes: readonly string[], also: readonly string[]])[] = [
  ['a whole GPU, by the number of its device file', 'gpu-7', ['/dev/nvidia0', '/dev/nvidiactl'], ['nvidia0']],
  ['a GPU of AMD', 'gpu-1-129', ['/dev/kfd', '/dev/dri/card1', '/dev/dri/renderD129'], ['renderD129', 'card1']],
  ['an RDMA device', 'rdma0', ['/dev/infiniband/uverbs3', '/dev/infiniband/rdma_cm'], ['uverbs3']],
  ['two GPUs under one name, which tell nothing', 'all', ['/dev/nvidia0', '/dev/nvidia1'], []],
  ['a GPU given to a virtual machine', 'gpu-vfio-1', ['/dev/vfio/12'], []],
];
for (const [what, device, nodes, also] of NODES)
  test(`by its CDI file: ${what}`, async (t) => {
    const folder = temporary(t);
    claimFile(folder, device, nodes);
    const files = new CdiFiles([join(folder, 'none'), join(folder, 'cdi')], join(folder, 'proc'));
    assert.deepEqual(await files.namesOf(cdi(device)), also);
  });

test('a file of JSON with the UUID in a variable, as earlier drivers wrote it', async (t) => {
  const folder = temporary(t);
  const containerEdits = { env: [`NVIDIA_VISIBLE_DEVICES=${uuid(1)}`], deviceNodes: [{ path: '/dev/nvidia0' }] };
  const devices = [{ name: 'gpu-0', containerEdits }];
  put(
    join(folder, 'cdi/k8s.gpu.nvidia.com-device_base.json'),
    JSON.stringify({ kind: 'k8s.gpu.nvidia.com/device', devices }),
  );
  const files = new CdiFiles([join(folder, 'cdi')], join(folder, 'proc'));
  assert.deepEqual(await files.namesOf('k8s.gpu.nvidia.com/device=gpu-0'), [uuid(1), 'nvidia0']);
});

test('what is not such a file says nothing, and costs no more', async (t) => {
  const folder = temporary(t);
  const at = (name: string) => join(folder, 'cdi', `k8s.gpu.nvidia.com-claim_${name}`);
  put(at(`${CLAIM}.yaml`), 'kind: [unclosed');
  put(
    at(`${CLAIM}-2.yaml`),
    `kind: k8s.gpu.example.com/claim\ndevices: [{name: ${CLAIM}-gpu-0, containerEdits: {deviceNodes: [{path: /dev/nvidia0}]}}]`,
  );
  put(at(`${CLAIM}-3.yaml`), 'x'.repeat(2 * 1024 * 1024));
  const files = new CdiFiles([join(folder, 'cdi')], join(folder, 'proc'));
  assert.deepEqual(await files.namesOf(cdi('gpu-0')), []);
  for (const odd of ['', 'gpu-0', 'a/b', '../../etc/passwd=x', `k8s.gpu.nvidia.com/claim=${'x'.repeat(9000)}`]) assert.deepEqual(await files.namesOf(odd), []); // biome-ignore format: one line
});

test('an RDMA device of a claim is its card', () => {
  assert.equal(nicGiven({ resource: 'dra.net', id: 'rdma0', also: ['uverbs3'] }, nicFacts(4)), nicId(3));
});

const attributes = {
  uuid: { string: uuid(1) },
  type: { string: 'gpu' },
  'resource.kubernetes.io/pciBusID': { string: '0000:1b:00.0' },
};
const slices = (device: object) => ({ items: [{ spec: { driver: 'gpu.nvidia.com', pool: { name: 'node-3' }, devices: [device] } }, { spec: { driver: 'compute-domain.nvidia.com', pool: {}, devices: [] } }] }); // biome-ignore format: one line
const SERVED: readonly (readonly [version: string, device: object])[] = [
  ['v1', { name: 'gpu-7', attributes }],
  ['v1beta2', { name: 'gpu-7', attributes }],
  ['v1beta1', { name: 'gpu-7', basic: { attributes } }],
];
for (const [version, device] of SERVED)
  test(`a device without a file, by the ResourceSlices of ${version}`, async (t) => {
    const folder = temporary(t);
    put(join(folder, 'token'), 'secret');
    const api = await fakeApi(t, ({ url }) =>
      url.pathname === `/apis/resource.k8s.io/${version}/resourceslices` ? slices(device) : 404,
    );
    const apiServer = { url: api.url, caFile: null, insecure: false };
    const { devices, notes } = await given(t, folder, encodeClaims({ 'ml/a': { 'gpu-7': [cdi('gpu-7')] } }), { apiServer, tokenFile: join(folder, 'token'), steps: ['pod_resources'] }); // biome-ignore format: one line
    await until(() => devices()[0] === `a gpu-7 ${uuid(1)} 0000:1b:00.0`, { seen: () => devices() });
    assert.deepEqual(notes(), ['claims: 0 devices by CDI files, 1 by ResourceSlices']);
    const asked = api.asked.filter(({ url }) => url.pathname.endsWith('resourceslices'));
    assert.equal(asked.at(-1)?.url.searchParams.get('fieldSelector'), 'spec.nodeName=node-3');
  });

test('without the right to list them the names of the driver stay, and doctor says what is lacking', async (t) => {
  const folder = temporary(t);
  put(join(folder, 'token'), 'secret');
  const api = await fakeApi(t, () => 403);
  const apiServer = { url: api.url, caFile: null, insecure: false };
  const { devices, notes } = await given(t, folder, encodeClaims({ 'ml/a': { 'gpu-1': [] } }), { apiServer, tokenFile: join(folder, 'token'), steps: ['pod_resources'] }); // biome-ignore format: one line
  await until(() => /status 403/.test(notes()[0] ?? ''), { seen: notes });
  assert.deepEqual(devices(), ['a gpu-1']);
  assert.equal(api.asked.filter(({ url }) => url.pathname.endsWith('resourceslices')).length, 1, 'asked once a minute');
});
