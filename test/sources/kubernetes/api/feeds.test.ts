// The feeds over HTTP: kubelet's own list, the API server with whole pods and with metadata alone.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../until.ts';
import { encodeDevices } from '../encode.ts';
import { FakeKubelet } from '../fake-kubelet.ts';
import { started, temporary } from '../support.ts';
import { fakeApi, line, podJson } from './fake-api.ts';

const UID = '11111111-0000-4000-8000-000000000001';

function tokenIn(folder: string): string {
  const file = join(folder, 'token');
  writeFileSync(file, 'a-token');
  return file;
}

test('kubelet /pods: whole pods by one request, read again only where the answer changed', async (t) => {
  const folder = temporary(t);
  let phase = 'Pending';
  const status = () => ({
    phase,
    containerStatuses: [{ name: 'main', restartCount: 0, containerID: 'containerd://ab' }],
  });
  const api = await fakeApi(t, ({ url }) =>
    url.pathname === '/pods' ? { kind: 'PodList', items: [podJson(UID, 'a', { status: status() })] } : 404,
  );
  const { identity, source } = started(t, folder, {
    kubelet: { url: api.url, caFile: null, insecure: true },
    tokenFile: tokenIn(folder),
    steps: ['kubelet'],
  });
  const fact = await until(() => identity.work.pods.values()[0]);
  assert.deepEqual([fact.phase, fact.knownBy, fact.containers[0]?.id], ['Pending', 'kubelet /pods', 'ab']);
  assert.equal(api.asked.at(-1)?.authorization, 'Bearer a-token');
  assert.ok(
    api.asked.every(({ url }) => url.pathname === '/pods'),
    'nothing is asked that lets anyone run a program',
  );
  assert.match(source.health()[0]?.detail ?? '', /is not verified: sources\.kubernetes\.kubelet_ca/);
  phase = 'Running';
  const other = { ...UNKNOWN, place: { ...UNKNOWN.place, pod: 'ffffffff-0000-4000-8000-00000000000f' } };
  identity.work.processes.set(other);
  await until(() => identity.work.pods.values()[0]?.phase === 'Running');
});

const UNKNOWN = (await import('../support.ts')).processIn('x', 1);

test('API server: pods by node, pushed; the kubelet’s devices with them', async (t) => {
  const folder = temporary(t);
  const kubelet = new FakeKubelet(folder, { podsApi: false });
  t.after(() => kubelet.stop());
  await kubelet.start();
  kubelet.list = encodeDevices({ 'train/a': { main: { 'nvidia.com/gpu': ['GPU-x'] } } });
  const spec = { nodeName: 'node-3', containers: [{ name: 'main', env: [{ name: 'PET_NODE_RANK', value: '1' }] }] };
  const api = await fakeApi(t, ({ url }) => {
    if (url.searchParams.get('watch') === 'true') return 'stream';
    const items = url.pathname === '/api/v1/pods' ? [podJson(UID, 'a', { spec })] : [];
    return url.pathname.startsWith('/api/v1/') ? { metadata: { resourceVersion: '1' }, items } : 404;
  });
  const { identity, source } = started(t, folder, {
    apiServer: { url: api.url, caFile: null, insecure: false },
    tokenFile: tokenIn(folder),
  });
  const fact = await until(() =>
    identity.work.pods.values().find(({ containers }) => containers[0]?.devices.length === 1),
  );
  assert.equal(fact.knownBy, 'API server');
  assert.deepEqual(fact.containers[0]?.variables, { PET_NODE_RANK: '1' });
  await until(() => source.health()[0]?.status === 'works', { seen: () => source.health() });
  const stream = await until(() => api.streams[api.asked.filter(({ url }) => url.searchParams.get('watch') === 'true').findIndex(({ url }) => url.pathname === '/api/v1/pods')]); // biome-ignore format: one line
  stream.write(line('DELETED', podJson(UID, 'a')));
  await until(() => identity.work.pods.size === 0);
});

test('metadata alone: no variable and no status is ever asked for', async (t) => {
  const folder = temporary(t);
  const metadata = { name: 'a', namespace: 'train', uid: UID, labels: { 'ray.io/cluster': 'ray' } };
  const api = await fakeApi(t, ({ url }) => {
    if (url.searchParams.get('watch') === 'true') return 'stream';
    if (url.pathname !== '/api/v1/pods') return 403;
    return { kind: 'PartialObjectMetadataList', metadata: { resourceVersion: '1' }, items: [{ metadata }] };
  });
  const { identity, source } = started(t, folder, {
    apiServer: { url: api.url, caFile: null, insecure: false },
    tokenFile: tokenIn(folder),
    steps: ['pods_api', 'api_metadata'],
  });
  const fact = await until(() => identity.work.pods.values()[0]);
  assert.deepEqual([fact.owner, fact.containers], [{ kind: 'RayCluster', name: 'ray' }, []]);
  const pods = api.asked.filter(({ url }) => url.pathname === '/api/v1/pods');
  assert.ok(pods.every(({ accept }) => /^application\/json;as=PartialObjectMetadata/.test(accept)));
  const notes = source.health()[0]?.notes?.join('\n') ?? '';
  assert.match(notes, /^API server, metadata alone: taken$/m);
  assert.match(notes, /^node: .*\/api\/v1\/nodes: status 403; Events: asked when a pod waits$/m);
});

test('a node of another name than the cluster’s is said', async (t) => {
  const folder = temporary(t);
  const api = await fakeApi(t, ({ url }) =>
    url.searchParams.get('watch') === 'true' ? 'stream' : { metadata: { resourceVersion: '1' }, items: [] },
  );
  const { source } = started(t, folder, {
    apiServer: { url: api.url, caFile: null, insecure: false },
    tokenFile: tokenIn(folder),
    steps: ['api_server'],
  });
  await until(() => /FL2704 the API server knows no pods on node node-3/.test(source.health()[0]?.detail ?? ''));
});

test('where one step ends the next is taken, and the pods stay', async (t) => {
  const folder = temporary(t);
  const kubelet = new FakeKubelet(folder);
  t.after(() => kubelet.stop());
  const api = await fakeApi(t, ({ url }) => {
    if (url.searchParams.get('watch') === 'true') return 'stream';
    return { metadata: { resourceVersion: '1' }, items: url.pathname === '/api/v1/pods' ? [podJson(UID, 'a')] : [] };
  });
  const { identity, source } = started(t, folder, {
    apiServer: { url: api.url, caFile: null, insecure: false },
    tokenFile: tokenIn(folder),
  });
  await until(() => identity.work.pods.values()[0]?.knownBy === 'API server');
  assert.match(source.health()[0]?.notes?.join('\n') ?? '', /^kubelet Pods API: .*not there/m);
});
