// The source against a real API server: rights, list and watch of one node, versions that are gone, Events, a cordon.
// scripts/test-kubernetes runs it; the default tests do not.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fields } from '../../../../src/helpers/proto-fields.ts';
import type { EventInput } from '../../../../src/model/record.ts';
import { HttpClient, JSON_TYPE } from '../../../../src/sources/kubernetes/api/http-client.ts';
import { readPod } from '../../../../src/sources/kubernetes/pod/read-pod.ts';
import { decode } from '../../../../src/sources/kubernetes/wire/decode.ts';
import { POD } from '../../../../src/sources/kubernetes/wire/shapes.ts';
import { until } from '../../../until.ts';
import { started, temporary } from '../support.ts';
import { type Cluster, startCluster } from './cluster.ts';

const binaries = process.env.FAULTLINE_KUBERNETES_BINARIES ?? '';
const NODES = ['node-3', 'node-4'];
let cluster: Cluster;

before(async () => {
  cluster = await startCluster(binaries);
  for (const name of NODES) await made('/api/v1/nodes', { metadata: { name } });
  await made('/api/v1/namespaces', { metadata: { name: 'train' } });
});
after(() => cluster?.stop());

async function made(path: string, body: object): Promise<unknown> {
  const reply = await cluster.send('POST', path, body);
  assert.ok(reply.status === 201, JSON.stringify(reply.body));
  return reply.body;
}

/** The rights that docs/guide/kubernetes.md asks for, or fewer. */
async function allow(user: string, rules: object[]): Promise<void> {
  const path = '/apis/rbac.authorization.k8s.io/v1';
  await cluster.send('DELETE', `${path}/clusterroles/${user}`);
  await cluster.send('DELETE', `${path}/clusterrolebindings/${user}`);
  await made(`${path}/clusterroles`, { metadata: { name: user }, rules });
  const subjects = [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }];
  await made(`${path}/clusterrolebindings`, { metadata: { name: user }, subjects, roleRef: { kind: 'ClusterRole', name: user, apiGroup: 'rbac.authorization.k8s.io' } }); // biome-ignore format: one line
}

const PODS = { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] };
const NODE = { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] };
const EVENTS = { apiGroups: [''], resources: ['events'], verbs: ['list'] };
const JOB = { 'batch.kubernetes.io/job-name': 'llama', 'batch.kubernetes.io/job-completion-index': '2' };

const pod = (name: string, nodeName: string) => ({
  metadata: { name, labels: JOB },
  spec: {
    nodeName,
    containers: [
      {
        name: 'main',
        image: 'x',
        resources: { limits: { 'nvidia.com/gpu': '1' } },
        env: [
          { name: 'PET_NPROC_PER_NODE', value: '8' },
          { name: 'TOKEN', value: 'secret' },
        ],
      },
    ],
  },
});

async function status(name: string, value: object): Promise<void> {
  const type = 'application/merge-patch+json';
  const reply = await cluster.send('PATCH', `/api/v1/namespaces/train/pods/${name}/status`, { status: value }, type);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

const remove = (name: string) => cluster.send('DELETE', `/api/v1/namespaces/train/pods/${name}?gracePeriodSeconds=0`);

function as(user: string, t: import('node:test').TestContext, more: object = {}) {
  const apiServer = { url: cluster.url, caFile: cluster.ca, insecure: false };
  return started(t, temporary(t), {
    apiServer,
    tokenFile: cluster.token(user),
    steps: ['api_server', 'log_names'],
    ...more,
  });
}

const client = (user: string): HttpClient =>
  new HttpClient({
    url: cluster.url,
    tokenFile: cluster.token(user),
    caFile: cluster.ca,
    insecure: false,
    name: null,
    trust: '',
  });

test('with list and watch on pods alone: this node’s pods, pushed, and nothing of the others', async (t) => {
  await allow('faultline', [PODS]);
  await made('/api/v1/namespaces/train/pods', pod('a', 'node-3'));
  await made('/api/v1/namespaces/train/pods', pod('other', 'node-4'));
  const { identity, source } = as('faultline', t);
  const fact = await until(() => identity.work.pods.values()[0]);
  assert.equal(identity.work.pods.size, 1);
  assert.deepEqual(fact.owner, { kind: 'Job', name: 'llama' });
  assert.deepEqual(fact.containers[0]?.variables, { JOB_COMPLETION_INDEX: '2', PET_NPROC_PER_NODE: '8' });
  const startedMs = performance.now();
  await made('/api/v1/namespaces/train/pods', pod('b', 'node-3'));
  await until(() => identity.work.pods.size === 2);
  console.log(`a new pod was known after ${(performance.now() - startedMs).toFixed(0)} ms`);
  await status('a', { phase: 'Running', containerStatuses: [{ name: 'main', image: 'x', imageID: 'x', ready: true, restartCount: 0, containerID: `containerd://${'a'.repeat(64)}` }] }); // biome-ignore format: one line
  await until(() => identity.work.pods.values().some(({ containers }) => containers[0]?.id === 'a'.repeat(64)));
  await remove('b');
  await until(() => identity.work.pods.size === 1);
  assert.match(source.health()[0]?.notes?.join('\n') ?? '', /^node: .*\/api\/v1\/nodes: status 403/m);
  await remove('a');
  await remove('other');
});

test('it can do with these rights nothing else: no get, no exec, no secrets, no other writes', async () => {
  await allow('faultline', [PODS, NODE, EVENTS]);
  const asked = client('faultline');
  await made('/api/v1/namespaces/train/pods', pod('a', 'node-3'));
  for (const path of [
    '/api/v1/namespaces/train/pods/a',
    '/api/v1/namespaces/train/pods/a/log',
    '/api/v1/namespaces/train/secrets',
    '/api/v1/nodes/node-3/proxy/pods',
    '/api/v1/configmaps',
    '/apis/batch/v1/jobs',
  ])
    await assert.rejects(asked.get(path, JSON_TYPE, 5000), { fault: 'forbidden' }, path);
  asked.close();
  await remove('a');
});

test('without rights the step says which, and the ladder continues with the next', async (t) => {
  const { source } = as('nothing', t);
  const [health] = await until(() => (source.health()[0]?.detail === 'starting' ? null : source.health()));
  assert.match(
    health?.notes?.join('\n') ?? '',
    /^API server: .*\/api\/v1\/pods: status 403; needs .*list and watch on pods/m,
  );
});

test('metadata alone is served with the field selector, without variables', async (t) => {
  await allow('metadata', [PODS]);
  await made('/api/v1/namespaces/train/pods', pod('m', 'node-3'));
  const { identity } = as('metadata', t, { steps: ['api_metadata'] });
  const fact = await until(() => identity.work.pods.values()[0]);
  assert.deepEqual([fact.name, fact.owner, fact.containers], ['m', { kind: 'Job', name: 'llama' }, []]);
  await made('/api/v1/namespaces/train/pods', pod('n', 'node-3'));
  await until(() => identity.work.pods.size === 2);
  await remove('m');
  await remove('n');
});

test('a pod’s protobuf of the real server is read as its JSON', async () => {
  await made('/api/v1/namespaces/train/pods', pod('p', 'node-3'));
  await status('p', { phase: 'Running', startTime: '2026-11-28T10:00:00Z', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-11-28T10:00:00Z' }] }); // biome-ignore format: one line
  const path = '/api/v1/namespaces/train/pods/p';
  const json = (await cluster.send('GET', path)).body;
  const raw = await fetchBytes(path, 'application/vnd.kubernetes.protobuf');
  assert.equal(raw.subarray(0, 4).toString('latin1'), 'k8s\0');
  // runtime.Unknown: the object itself is its field 2.
  const fields = new Fields(raw.subarray(4));
  while (fields.number !== 2) assert.ok(fields.next());
  assert.deepEqual(readPod(decode(fields.bytes, POD)), readPod(json));
  await remove('p');
});

async function fetchBytes(path: string, accept: string): Promise<Buffer> {
  const { request } = await import('node:https');
  return new Promise((resolve, reject) => {
    const headers = { Accept: accept, Authorization: 'Bearer token-admin' };
    request(new URL(path, cluster.url), { headers, rejectUnauthorized: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve(Buffer.concat(parts)));
    })
      .on('error', reject)
      .end();
  });
}

test('a version that etcd forgot is gone: it is listed again and nothing is missed', async (t) => {
  await allow('faultline', [PODS]);
  const { ListWatch } = await import('../../../../src/sources/kubernetes/api/list-watch.ts');
  const asked = client('faultline');
  const seen = new Set<string>();
  const list = new ListWatch({
    client: asked,
    path: '/api/v1/pods',
    fieldSelector: 'spec.nodeName=node-3',
    accept: JSON_TYPE,
    onList(items) {
      for (const item of items) seen.add(readPod(item)?.name ?? '');
    },
    onChange: (_, item) => void seen.add(readPod(item)?.name ?? ''),
  });
  t.after(() => {
    list.stop();
    asked.close();
  });
  list.start();
  await until(() => list.lists === 1);
  // Its connection is cut, and while it is away the version that it would continue from is forgotten.
  list.stop();
  for (let i = 0; i < 5; i += 1) await made('/api/v1/namespaces/train/pods', pod(`late-${i}`, 'node-3'));
  for (let i = 0; i < 5; i += 1) await remove(`late-${i}`);
  await made('/api/v1/namespaces/train/pods', pod('stays', 'node-3'));
  cluster.compact();
  list.start();
  await until(() => list.lists === 2, { seen: () => list.trouble?.message });
  await until(() => seen.has('stays'));
  await remove('stays');
});

test('node: not ready, a cordon and its end, with list and watch on nodes', async (t) => {
  await allow('faultline', [PODS, NODE]);
  const ready = (status: string) => cluster.send('PATCH', '/api/v1/nodes/node-3/status', { status: { conditions: [{ type: 'Ready', status, reason: 'KubeletNotReady', message: 'container runtime is down', lastTransitionTime: new Date().toISOString() }] } }, 'application/merge-patch+json'); // biome-ignore format: one line
  const cordon = (unschedulable: boolean) => cluster.send('PATCH', '/api/v1/nodes/node-3', { spec: { unschedulable } }, 'application/merge-patch+json'); // biome-ignore format: one line
  await ready('True');
  const { events, source } = as('faultline', t);
  await until(() => /^node: watched/m.test(source.health()[0]?.notes?.join('\n') ?? ''), {
    seen: () => source.health(),
  });
  const short = ({ kind, state }: EventInput) => `${kind} ${state}`;
  await ready('False');
  // That no pod is left is reported as well.
  const of = () => events.filter(({ kind }) => kind !== 'host.emptied');
  await until(() => of().length === 1);
  await ready('True');
  await cordon(true);
  await until(() => of().length === 3);
  await cordon(false);
  await until(() => of().length === 4);
  assert.deepEqual(of().map(short), ['host.not_ready onset', 'host.not_ready clear', 'host.drained onset', 'host.drained clear']); // biome-ignore format: one line
  assert.deepEqual(events[0]?.component, { type: 'host', id: 'node-3' });
  assert.match(
    events[0]?.evidence?.map((seen) => ('text' in seen ? seen.text : '')).join() ?? '',
    /container runtime is down/,
  );
});

test('why a pod waits, by the Events of it, and an eviction by its status', async (t) => {
  await allow('faultline', [PODS, EVENTS]);
  await made('/api/v1/namespaces/train/pods', pod('w', 'node-3'));
  await status('w', { phase: 'Pending', startTime: new Date(Date.now() - 120_000).toISOString() });
  const { body } = await cluster.send('GET', '/api/v1/namespaces/train/pods/w');
  const uid = (body as { metadata: { uid: string } }).metadata.uid;
  await made('/api/v1/namespaces/train/events', {
    metadata: { name: 'w.1' },
    involvedObject: { kind: 'Pod', namespace: 'train', name: 'w', uid },
    reason: 'FailedMount',
    message: 'MountVolume.SetUp failed for volume "data"',
    type: 'Warning',
    lastTimestamp: new Date().toISOString(),
  });
  const { events } = as('faultline', t);
  await until(() => events.length === 1);
  assert.deepEqual([events[0]?.kind, events[0]?.trust, events[0]?.component], ['pod.start_failed', 'tenant', { type: 'job', id: 'train/llama' }]); // biome-ignore format: one line
  await status('w', { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' });
  await until(() => events.length === 3);
  assert.deepEqual(events.slice(1).map(({ kind, state }) => `${kind} ${state}`).sort(), ['pod.evicted point', 'pod.start_failed clear']); // biome-ignore format: one line
  await remove('w');
});

test('out of memory, preempted, a device that turned unhealthy, deleted: each by the status that the server has', async (t) => {
  await allow('faultline', [PODS]);
  const running = (more: object = {}) => ({ phase: 'Running', containerStatuses: [{ name: 'main', image: 'x', imageID: 'x', ready: true, restartCount: 0, containerID: 'containerd://ab', state: { running: { startedAt: new Date().toISOString() } }, ...more }] }); // biome-ignore format: one line
  for (const name of ['oom', 'lost', 'sick', 'gone']) {
    await made('/api/v1/namespaces/train/pods', pod(name, 'node-3'));
    await status(name, running());
  }
  const { events, identity, source } = as('faultline', t);
  await until(() => identity.work.pods.size === 4, { seen: () => source.health() });
  const finishedAt = new Date().toISOString();
  await status('oom', running({ restartCount: 1, lastState: { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt } } })); // biome-ignore format: one line
  await status('lost', { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message: 'default-scheduler: preempting to accommodate a higher priority pod', lastTransitionTime: finishedAt }] }); // biome-ignore format: one line
  await status('sick', running({ allocatedResourcesStatus: [{ name: 'nvidia.com/gpu', resources: [{ resourceID: 'GPU-1', health: 'Unhealthy' }] }] })); // biome-ignore format: one line
  await cluster.send('DELETE', '/api/v1/namespaces/train/pods/gone?gracePeriodSeconds=30');
  await until(() => events.length >= 4, { seen: () => events.map(({ kind }) => kind) });
  const of = (event: EventInput) => `${event.kind} ${event.state} ${event.attributes?.pod ?? ''}`;
  assert.deepEqual(events.map(of).sort(), ['job.preempted point lost', 'pod.device_unhealthy onset sick', 'pod.oom_killed point oom', 'pod.removed point gone']); // biome-ignore format: one line
  for (const name of ['oom', 'lost', 'sick', 'gone']) await remove(name);
});

test('a taint that evicts, and its end', async (t) => {
  await allow('faultline', [PODS, NODE]);
  const taints = (list: object[]) => cluster.send('PATCH', '/api/v1/nodes/node-3', { spec: { taints: list } }, 'application/merge-patch+json'); // biome-ignore format: one line
  await taints([]);
  const { events, source } = as('faultline', t);
  await until(() => /^node: watched/m.test(source.health()[0]?.notes?.join('\n') ?? ''), { seen: () => source.health() }); // biome-ignore format: one line
  await taints([{ key: 'nvsentinel.nvidia.com/fault', value: 'xid', effect: 'NoExecute' }]);
  // That no pod is left is reported as well.
  const drained = () => events.filter(({ kind }) => kind === 'host.drained');
  await until(() => drained().length === 1);
  await taints([]);
  await until(() => drained().length === 2);
  assert.deepEqual(drained().map(({ kind, state }) => `${kind} ${state}`), ['host.drained onset', 'host.drained clear']); // biome-ignore format: one line
});

test('a full node: how long the list takes, and how large it is', async (t) => {
  await allow('faultline', [PODS]);
  for (let i = 0; i < 110; i += 1) await made('/api/v1/namespaces/train/pods', pod(`full-${i}`, 'node-3'));
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  const { identity } = as('faultline', t);
  await until(() => identity.work.pods.size === 110);
  const { user, system } = process.cpuUsage(cpu);
  console.log(`110 pods: ${(performance.now() - startedMs).toFixed(0)} ms, ${((user + system) / 1000).toFixed(0)} ms of CPU; API server ${(cluster.rssBytes() / 2 ** 20).toFixed(0)} MiB`); // biome-ignore format: one line
});
