// What the source reports of what happens to pods: at the job, at the device, once, and nothing of pods that are not work.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../until.ts';
import { fakeApi, podJson } from '../api/fake-api.ts';
import { encodeDevices, encodePod, type TestPod } from '../encode.ts';
import { FakeKubelet } from '../fake-kubelet.ts';
import { started, temporary } from '../support.ts';

const UID = '11111111-0000-4000-8000-000000000001';
const GPU = 'GPU-11111111-2222-3333-4444-555555555555';
const JOB = {
  'training.kubeflow.org/job-name': 'llama',
  'training.kubeflow.org/operator-name': 'pytorchjob-controller',
};

async function withPod(t: import('node:test').TestContext, labels: Record<string, string>, devices = true) {
  const kubelet = new FakeKubelet(temporary(t));
  t.after(() => kubelet.stop());
  await kubelet.start();
  const pod = (more: Partial<TestPod> = {}) => encodePod({ uid: UID, name: 'w', labels, containers: [{ name: 'main', id: 'ab' }], ...more }); // biome-ignore format: one line
  kubelet.push('ADDED', UID, pod());
  if (devices) kubelet.list = encodeDevices({ 'train/w': { main: { 'nvidia.com/gpu': [GPU] } } });
  const run = started(t, kubelet.root);
  await until(() => run.identity.work.pods.values()[0]?.containers[0]?.devices.length === (devices ? 1 : 0));
  return { kubelet, pod, ...run };
}

const nowS = () => Math.floor(Date.now() / 1000);

test('a container out of memory is at its job, with its pod, at the time of its status', async (t) => {
  const { kubelet, pod, events } = await withPod(t, JOB);
  const atS = nowS();
  const ended = { reason: 'OOMKilled', exitCode: 137, atS };
  kubelet.push('MODIFIED', UID, pod({ containers: [{ name: 'main', id: 'cd', restarts: 1, ended }] }));
  const [event] = await until(() => (events.length > 0 ? events : null));
  assert.equal(event?.kind, 'pod.oom_killed');
  assert.deepEqual(event?.component, { type: 'job', id: 'train/llama' });
  assert.equal(event?.timeMs, atS * 1000);
  assert.equal(event?.trust, 'system');
  assert.deepEqual(event?.attributes, { reason: 'OOMKilled', namespace: 'train', pod: 'w', pod_uid: UID, container: 'main', exit_code: 137 }); // biome-ignore format: one line
  // The same pod in a list again brings nothing.
  kubelet.push('MODIFIED', UID, pod({ containers: [{ name: 'main', id: 'cd', restarts: 1, ended }] }));
  kubelet.push(
    'MODIFIED',
    UID,
    pod({ reason: 'Evicted', phase: 'Failed', message: 'The node was low on resource: memory.' }),
  );
  await until(() => events.length === 2);
  assert.equal(events[1]?.kind, 'pod.evicted');
  assert.match(
    events[1]?.evidence?.map((seen) => ('text' in seen ? seen.text : '')).join() ?? '',
    /^train\/w Evicted: The node was low/,
  );
});

test('a sick device is that GPU where it is known, and no device where it is not', async (t) => {
  const { kubelet, pod, events, identity } = await withPod(t, JOB);
  kubelet.push('MODIFIED', UID, pod({ containers: [{ name: 'main', id: 'ab', unhealthy: GPU }] }));
  await until(() => events.length === 1);
  assert.equal(events[0]?.component, null);
  kubelet.push('MODIFIED', UID, pod());
  identity.gpus.found({ type: 'gpu', id: '0000:9b:00.0', aliases: [GPU] }, 'H100');
  kubelet.push('MODIFIED', UID, pod({ containers: [{ name: 'main', id: 'ab', unhealthy: GPU }] }));
  await until(() => events.length === 2);
  assert.deepEqual(events[1]?.component, { type: 'gpu', id: '0000:9b:00.0', host: 'node-3' });
  assert.equal(events[1]?.state, 'onset');
});

test('a pod of the cluster that is not work says nothing, one with a device does', async (t) => {
  const ended = { reason: 'OOMKilled', exitCode: 137, atS: nowS() };
  const daemon = await withPod(t, { app: 'node-exporter' }, false);
  daemon.kubelet.push('MODIFIED', UID, daemon.pod({ containers: [{ name: 'main', id: 'cd', restarts: 1, ended }] }));
  daemon.kubelet.push('DELETED', UID, daemon.pod());
  await until(() => daemon.identity.work.pods.size === 0);
  assert.deepEqual(daemon.events, []);
  const notebook = await withPod(t, { app: 'notebook' });
  notebook.kubelet.push(
    'MODIFIED',
    UID,
    notebook.pod({ containers: [{ name: 'main', id: 'cd', restarts: 1, ended }] }),
  );
  await until(() => notebook.events.length === 1);
  assert.deepEqual(notebook.events[0]?.component, { type: 'job', id: 'train/w' });
});

test('what happened long before this run is not news', async (t) => {
  const kubelet = new FakeKubelet(temporary(t));
  t.after(() => kubelet.stop());
  await kubelet.start();
  const ended = { reason: 'OOMKilled', exitCode: 137, atS: nowS() - 3600 };
  kubelet.push(
    'ADDED',
    UID,
    encodePod({ uid: UID, name: 'w', labels: JOB, containers: [{ name: 'main', id: 'ab', restarts: 1, ended }] }),
  );
  const { identity, events } = started(t, kubelet.root);
  await until(() => identity.work.pods.size === 1);
  assert.deepEqual(events, []);
});

test('why a pod does not start is asked of its Events once it waits, and is only as true as its namespace', async (t) => {
  const folder = temporary(t);
  writeFileSync(join(folder, 'token'), 'x');
  let phase = 'Pending';
  const startTime = new Date(Date.now() - 300_000).toISOString();
  const api = await fakeApi(t, ({ url }) => {
    if (url.pathname === '/pods') {
      const metadata = { name: 'w', namespace: 'train', uid: UID, labels: JOB };
      const containerStatuses =
        phase === 'Pending' ? [] : [{ name: 'main', restartCount: 0, containerID: 'containerd://ab' }];
      return {
        kind: 'PodList',
        items: [podJson(UID, 'w', { metadata, status: { phase, startTime, containerStatuses } })],
      };
    }
    if (url.pathname !== '/api/v1/namespaces/train/events') return 403;
    assert.equal(url.searchParams.get('fieldSelector'), `involvedObject.uid=${UID}`);
    const event = (reason: string, message: string, eventTime: string) => ({ reason, message, eventTime });
    return { items: [event('Scheduled', 'x', '2026-11-28T10:00:00Z'), event('FailedMount', 'MountVolume.SetUp failed for volume "data"', '2026-11-28T10:01:00.5Z')] }; // biome-ignore format: one line
  });
  const { events, identity } = started(t, folder, {
    kubelet: { url: api.url, caFile: null, insecure: true },
    apiServer: { url: api.url, caFile: null, insecure: false },
    tokenFile: join(folder, 'token'),
    steps: ['kubelet'],
  });
  const [event] = await until(() => (events.length > 0 ? events : null));
  assert.deepEqual([event?.kind, event?.state, event?.trust], ['pod.start_failed', 'onset', 'tenant']);
  assert.equal(event?.attributes?.reason, 'FailedMount');
  assert.equal(api.asked.filter(({ url }) => url.pathname.endsWith('/events')).length, 1, 'once');
  phase = 'Running';
  identity.work.processes.set((await import('../support.ts')).processIn('ffffffff-0000-4000-8000-00000000000f', 1));
  await until(() => events.length === 2);
  assert.equal(events[1]?.state, 'clear');
});
