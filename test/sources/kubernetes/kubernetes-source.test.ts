// The source against kubelet's own two services on sockets: pods, devices, restarts, and what cannot be had.

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { until } from '../../until.ts';
import { encodeDevices, encodePod } from './encode.ts';
import { FakeKubelet } from './fake-kubelet.ts';
import { processIn, started, temporary } from './support.ts';

const ONE = '11111111-0000-4000-8000-000000000001';
const TWO = '11111111-0000-4000-8000-000000000002';
const GPU = 'GPU-11111111-2222-3333-4444-555555555555';
const ID = 'a'.repeat(64);
const JOB = {
  'training.kubeflow.org/job-name': 'llama',
  'training.kubeflow.org/operator-name': 'pytorchjob-controller',
};

const worker = (uid: string, name: string, more = {}) =>
  encodePod({ uid, name, labels: JOB, containers: [{ name: 'main', id: ID, restarts: 1, env: { PET_NODE_RANK: '3' } }], ...more }); // biome-ignore format: one line
const gpuOf = (pod: string, id = GPU) => ({ [`train/${pod}`]: { main: { 'nvidia.com/gpu': [id] } } });

test('a pod with its owner, container, device, variables and log, pushed and listed', async (t) => {
  const kubelet = new FakeKubelet(temporary(t));
  t.after(() => kubelet.stop());
  await kubelet.start();
  kubelet.push('ADDED', ONE, worker(ONE, 'llama-worker-0'));
  kubelet.list = encodeDevices(gpuOf('llama-worker-0'));
  const { identity, source } = started(t, kubelet.root);
  const fact = await until(() =>
    identity.work.pods.values().find(({ containers }) => containers[0]?.devices.length === 1),
  );
  assert.deepEqual(fact.owner, { kind: 'PyTorchJob', name: 'llama' });
  assert.equal(fact.knownBy, 'kubelet Pods API');
  assert.deepEqual(fact.containers, [
    {
      name: 'main',
      id: ID,
      variables: { PET_NODE_RANK: '3' },
      devices: [{ resource: 'nvidia.com/gpu', id: GPU }],
      log: join(kubelet.root, 'log/pods', `train_llama-worker-0_${ONE}`, 'main', '1.log'),
    },
  ]);
  const [health] = source.health();
  assert.equal(health?.status, 'works', health?.detail);
  assert.match(health?.detail ?? '', /^1 pods by kubelet Pods API; 1 containers with devices/);

  kubelet.push('MODIFIED', ONE, worker(ONE, 'llama-worker-0', { phase: 'Succeeded' }));
  const over = await until(() => identity.work.pods.values().find(({ phase }) => phase === 'Succeeded'));
  assert.deepEqual(over.containers[0]?.devices, [], 'a list that still has it says nothing of a pod that is over');
  kubelet.push('DELETED', ONE, worker(ONE, 'llama-worker-0'));
  await until(() => identity.work.pods.size === 0);
});

test('kubelet restarts: its sockets are other ones, what is known stays, and what it says then counts', async (t) => {
  const kubelet = new FakeKubelet(temporary(t));
  t.after(() => kubelet.stop());
  await kubelet.start();
  kubelet.push('ADDED', ONE, worker(ONE, 'a'));
  kubelet.list = encodeDevices(gpuOf('a'));
  const { identity, source } = started(t, kubelet.root);
  await until(() => identity.work.pods.size === 1);
  kubelet.stop();
  await until(() => /FL2703/.test(source.health()[0]?.detail ?? ''));
  assert.equal(identity.work.pods.size, 1, 'its processes outlive kubelet');
  kubelet.pods.clear();
  kubelet.pods.set(TWO, worker(TWO, 'b'));
  kubelet.list = encodeDevices(gpuOf('b'));
  await kubelet.start();
  await until(() => {
    const [only, ...others] = identity.work.pods.values();
    return others.length === 0 && only?.name === 'b' && only.containers[0]?.devices.length === 1;
  });
  await until(() => source.health()[0]?.status === 'works', { seen: () => source.health() });
});

test('kubelet that starts, is asked too often, or drops a slow client, is asked again', async (t) => {
  const kubelet = new FakeKubelet(temporary(t));
  t.after(() => kubelet.stop());
  await kubelet.start();
  kubelet.refuses = status.FAILED_PRECONDITION;
  kubelet.pods.set(ONE, worker(ONE, 'a'));
  const { identity } = started(t, kubelet.root);
  await until(() => kubelet.watches >= 2 && kubelet.lists >= 1);
  kubelet.refuses = null;
  await until(() => identity.work.pods.size === 1);
  const { watches } = kubelet;
  kubelet.pods.set(TWO, worker(TWO, 'b'));
  kubelet.dropStreams(status.RESOURCE_EXHAUSTED);
  await until(() => identity.work.pods.size === 2 && kubelet.watches > watches);
});

test('a message that is not one costs a new stream and no more', async (t) => {
  const kubelet = new FakeKubelet(temporary(t));
  t.after(() => kubelet.stop());
  await kubelet.start();
  kubelet.push('ADDED', ONE, worker(ONE, 'a'));
  const { identity, failures } = started(t, kubelet.root);
  await until(() => identity.work.pods.size === 1);
  const { watches } = kubelet;
  kubelet.raw(Buffer.from([0x0a, 0xff, 0x01]));
  await until(() => kubelet.watches > watches);
  assert.equal(identity.work.pods.size, 1);
  assert.deepEqual(failures, []);
});

test('a list of more than five megabytes', async (t) => {
  const kubelet = new FakeKubelet(temporary(t));
  t.after(() => kubelet.stop());
  await kubelet.start();
  const ids = Array.from({ length: 1000 }, (_, i) => `${'x'.repeat(40)}-${i}`);
  const others = Array.from({ length: 120 }, (_, i) => [`train/other-${i}`, { main: { 'example.com/thing': ids } }]);
  kubelet.list = encodeDevices({ ...Object.fromEntries(others), ...gpuOf('a') });
  assert.ok(kubelet.list.length > 5_000_000);
  kubelet.push('ADDED', ONE, worker(ONE, 'a'));
  const { identity } = started(t, kubelet.root);
  const fact = await until(() =>
    identity.work.pods.values().find(({ containers }) => containers[0]?.devices.length === 1),
  );
  assert.deepEqual(fact.containers[0]?.devices, [{ resource: 'nvidia.com/gpu', id: GPU }]);
});

test('two pods on one GPU have it both; a hand-over is seen with the next look', async (t) => {
  const kubelet = new FakeKubelet(temporary(t));
  t.after(() => kubelet.stop());
  await kubelet.start();
  kubelet.push('ADDED', ONE, worker(ONE, 'a'));
  kubelet.push('ADDED', TWO, worker(TWO, 'b'));
  kubelet.list = encodeDevices({ ...gpuOf('a', `${GPU}::0`), ...gpuOf('b', `${GPU}::1`) });
  const { identity } = started(t, kubelet.root);
  const devices = () => identity.work.pods.values().map(({ containers }) => containers[0]?.devices[0]?.id ?? null);
  await until(() => devices().join() === `${GPU}::0,${GPU}::1`, { seen: devices });
  kubelet.list = encodeDevices(gpuOf('b'));
  await until(() => devices().join() === `,${GPU}`, { seen: devices });
  identity.gpus.found({ type: 'gpu', id: '0000:9b:00.0', aliases: [GPU] }, 'H100');
  const view = identity.work.fresh();
  assert.deepEqual(
    view.devices.map(({ device, work, pod }) => [device, work, pod?.name]),
    [['gpu/0000:9b:00.0', 'train/llama', 'b']],
  );
});

test('a force-deleted pod whose process lives stays until the process ends, without what it was given', async (t) => {
  const kubelet = new FakeKubelet(temporary(t));
  t.after(() => kubelet.stop());
  await kubelet.start();
  kubelet.push('ADDED', ONE, worker(ONE, 'a'));
  kubelet.list = encodeDevices(gpuOf('a'));
  const { identity, source } = started(t, kubelet.root);
  await until(() => identity.work.pods.values()[0]?.containers[0]?.devices.length === 1);
  identity.work.processes.set(processIn(ONE, 4711));
  kubelet.list = encodeDevices({});
  kubelet.push('DELETED', ONE, worker(ONE, 'a'));
  await until(() => /1 deleted whose processes still run/.test(source.health()[0]?.detail ?? ''));
  assert.deepEqual(identity.work.pods.values()[0]?.containers[0]?.devices, []);
  identity.work.processes.replace([]);
  await until(() => identity.work.pods.size === 0);
});

test('a process in a pod that no list has is a reason to ask at once', async (t) => {
  const kubelet = new FakeKubelet(temporary(t), { podsApi: false });
  t.after(() => kubelet.stop());
  await kubelet.start();
  const { identity } = started(t, kubelet.root, { intervalMs: 3_600_000, steps: ['pod_resources'] });
  await until(() => kubelet.lists === 1);
  kubelet.list = encodeDevices(gpuOf('late'));
  identity.work.processes.set(processIn(TWO, 4711));
  await until(() => kubelet.lists === 2);
  await until(() => identity.work.pods.values()[0]?.name === 'late');
});

test('with devices alone a pod has its uid by kubelet’s own file, where one alone fits', async (t) => {
  const kubelet = new FakeKubelet(temporary(t), { podsApi: false });
  t.after(() => kubelet.stop());
  await kubelet.start();
  mkdirSync(join(kubelet.root, 'device-plugins'));
  const entry = (PodUID: string, DeviceIDs: object) => ({ PodUID, ContainerName: 'main', ResourceName: 'nvidia.com/gpu', DeviceIDs, AllocResp: '' }); // biome-ignore format: one line
  const entries = [entry(ONE, { 0: [GPU] }), entry(TWO, { '-1': ['GPU-shared::1', 'GPU-shared::2'] }), entry('old', { 0: ['GPU-shared::2'] })]; // biome-ignore format: one line
  writeFileSync(join(kubelet.root, 'device-plugins/kubelet_internal_checkpoint'), JSON.stringify({ Data: { PodDeviceEntries: entries } })); // biome-ignore format: one line
  kubelet.list = encodeDevices({ ...gpuOf('a'), ...gpuOf('b', 'GPU-shared::2'), 'kube-system/proxy': { proxy: {} } });
  const { identity, source } = started(t, kubelet.root);
  await until(() => identity.work.pods.size === 2, { seen: () => source.health() });
  assert.deepEqual(
    identity.work.pods.values().map(({ uid, name, knownBy }) => [uid, name, knownBy]),
    [
      [ONE, 'a', 'PodResources'],
      [null, 'b', 'PodResources'],
    ],
  );
  assert.equal(source.health()[0]?.status, 'partial');
});

test('every step is in the notes with what it lacks', async (t) => {
  const folder = temporary(t);
  mkdirSync(join(folder, 'pods'));
  const { source } = started(t, folder);
  const [health] = await until(() => (source.health()[0]?.detail === 'starting' ? null : source.health()));
  assert.equal(health?.status, 'failed');
  const notes = health?.notes?.join('\n') ?? '';
  assert.match(notes, /^kubelet Pods API: .*pods-api\.sock: not there \(ENOENT\); needs Kubernetes 1\.37/m);
  assert.match(notes, /^names of log files: .*ENOENT; needs reading /m);
  assert.match(notes, /^kubelet: sources\.kubernetes\.kubelet_url is not set$/m);
  assert.match(notes, /^api_server: sources\.kubernetes\.api_server is not set$/m);
  assert.match(notes, /^devices: FL2702 .*kubelet\.sock: not there/m);
});

test('a host without kubelet: absent, and one that may not be entered: no permission', async (t) => {
  const folder = temporary(t);
  const none = started(t, folder, { kubeletRoot: join(folder, 'nothing') });
  await until(() => /^FL2701/.test(none.source.health()[0]?.detail ?? ''));
  assert.equal(none.source.health()[0]?.status, 'absent');
  // What systemd puts in the place of a hidden folder, to whom may read everything.
  const hidden = join(folder, 'hidden');
  mkdirSync(hidden);
  const unit = started(t, folder, { kubeletRoot: hidden });
  await until(() => unit.source.health()[0]?.status === 'no_permission', { seen: () => unit.source.health() });
  assert.match(unit.source.health()[0]?.remedy ?? '', /kubelet's sockets: docs\/guide\/kubernetes\.md#rights/);
  if (process.geteuid?.() === 0) return; // root may enter everything
  const shut = join(folder, 'shut');
  mkdirSync(shut, { mode: 0 });
  t.after(() => chmodSync(shut, 0o700));
  const denied = started(t, folder, { kubeletRoot: shut });
  await until(() => denied.source.health()[0]?.status === 'no_permission', { seen: () => denied.source.health() });
});

test('kubelet that comes later than this daemon is found by its folder', async (t) => {
  const folder = temporary(t);
  mkdirSync(join(folder, 'pods'));
  const { identity, source } = started(t, folder, { intervalMs: 200 });
  await until(() => /FL2702/.test(source.health()[0]?.detail ?? ''));
  const kubelet = new FakeKubelet(folder);
  t.after(() => kubelet.stop());
  kubelet.pods.set(ONE, worker(ONE, 'a'));
  await kubelet.start();
  await until(() => identity.work.pods.values()[0]?.knownBy === 'kubelet Pods API', { seen: () => source.health() });
});

test('switched off while the daemon runs, it leaves nothing that no one keeps up to date', async (t) => {
  const kubelet = new FakeKubelet(temporary(t));
  t.after(() => kubelet.stop());
  await kubelet.start();
  kubelet.push('ADDED', ONE, worker(ONE, 'a'));
  const { identity, source } = started(t, kubelet.root);
  await until(() => identity.work.pods.size === 1);
  await source.stop();
  assert.equal(identity.work.pods.size, 0);
  kubelet.push('MODIFIED', ONE, worker(ONE, 'a'));
  assert.equal(identity.work.pods.size, 0);
});
