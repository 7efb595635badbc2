// Acting on a real API server, with the rights and the policy of the chart: own node, own taint, label and condition, and nothing else;
// breaker, dry run, and what was done seen again as stages of the incident. scripts/test-kubernetes runs it.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { IncidentBook } from '../../../../src/incidents/lifecycle.ts';
import { makeEvent } from '../../../../src/model/make-event.ts';
import { NodeCondition, NodeTaint } from '../../../../src/sinks/acting/targets/kubernetes.ts';
import { golden, ofKind } from '../../../deploy/chart/support.ts';
import { explanation } from '../../../incidents/sample.ts';
import { actingWith, lost } from '../../../sinks/acting/harness.ts';
import { until } from '../../../until.ts';
import { started, temporary } from '../support.ts';
import { type Cluster, startCluster } from './cluster.ts';

const NODES = ['node-1', 'node-3', 'node-4'];
const PATCH = 'application/strategic-merge-patch+json';
let cluster: Cluster;
let token: string;

before(async () => {
  cluster = await startCluster(process.env.FAULTLINE_KUBERNETES_BINARIES ?? '');
  for (const name of NODES) {
    await made('/api/v1/nodes', { metadata: { name, labels: { rack: 'a' } } });
    await ready(name, 'True'); // as its kubelet would say
  }
  await made('/api/v1/namespaces', { metadata: { name: 'faultline' } });
  await made('/api/v1/namespaces/faultline/serviceaccounts', { metadata: { name: 'faultline' } });
  await applyChart();
  token = await tokenOf('node-3');
});
after(() => cluster?.stop());

async function ready(name: string, status: 'True' | 'False' | 'Unknown'): Promise<void> {
  const conditions = [{ type: 'Ready', status }];
  const reply = await cluster.send('PATCH', `/api/v1/nodes/${name}/status`, { status: { conditions } }, PATCH);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

async function made(path: string, body: object): Promise<{ metadata: { uid: string }; status?: { token?: string } }> {
  const reply = await cluster.send('POST', path, body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body as { metadata: { uid: string }; status?: { token?: string } }; // an object of the API
}

/** What the chart installs with rbac.acting. */
async function applyChart(): Promise<void> {
  const rights = '/apis/rbac.authorization.k8s.io/v1';
  const admission = '/apis/admissionregistration.k8s.io/v1';
  const places = { ClusterRole: `${rights}/clusterroles`, ClusterRoleBinding: `${rights}/clusterrolebindings`, ValidatingAdmissionPolicy: `${admission}/validatingadmissionpolicies`, ValidatingAdmissionPolicyBinding: `${admission}/validatingadmissionpolicybindings` }; // biome-ignore format: one record
  for (const [kind, path] of Object.entries(places))
    for (const document of ofKind(golden('everything'), kind)) await made(path, document);
}

/** The token of a pod on that node, as kubelet would hand it to it. */
async function tokenOf(node: string): Promise<string> {
  const pods = '/api/v1/namespaces/faultline/pods';
  const pod = await made(pods, { metadata: { name: `faultline-${node}` }, spec: { nodeName: node, serviceAccountName: 'faultline', containers: [{ name: 'main', image: 'x' }] } }); // biome-ignore format: one line
  const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: `faultline-${node}`, uid: pod.metadata.uid };
  const reply = await made('/api/v1/namespaces/faultline/serviceaccounts/faultline/token', { spec: { audiences: [], boundObjectRef } }); // biome-ignore format: one line
  return reply.status?.token ?? assert.fail('no token');
}

function settings(t: import('node:test').TestContext, node = 'node-3') {
  const tokenFile = join(temporary(t), 'token');
  writeFileSync(tokenFile, token);
  return { taint: 'faultline.dev/fault', effect: 'NoSchedule', condition: 'FaultlineFault', url: cluster.url, caFile: cluster.ca, tokenFile, node } as const; // biome-ignore format: one line
}

const patch = (path: string, body: object) => cluster.send('PATCH', path, body, PATCH, token);
const nodeOf = async (name: string) => (await cluster.send('GET', `/api/v1/nodes/${name}`)).body as { metadata: { labels: Record<string, string> }; spec: { taints?: { key: string }[]; unschedulable?: boolean }; status: { conditions?: { type: string; status: string }[] } }; // biome-ignore format: one line

test('the policy comes into force: another node is refused, its own is not', async (t) => {
  const other = new NodeTaint(settings(t, 'node-4'), 'node-4', 'gpu.lost');
  await until(async () => other.tryOut().then(() => false, () => true), { what: 'the policy in force' }); // biome-ignore format: one line
  await assert.rejects(other.act());
  const own = new NodeTaint(settings(t), 'node-3', 'gpu.lost');
  await own.tryOut();
  // The server itself taints a new node; that is not ours to take away.
  const theirs = ['node.kubernetes.io/not-ready'];
  assert.deepEqual(
    (await nodeOf('node-3')).spec.taints?.map(({ key }) => key),
    theirs,
    'a dry run changes nothing',
  );
  await own.act();
  assert.deepEqual((await nodeOf('node-3')).spec.taints?.map(({ key }) => key), [...theirs, 'faultline.dev/fault']); // biome-ignore format: one line
  assert.deepEqual([await own.isDone(), await own.count()], [true, { out: ['node-3'], nodes: 3 }]);
  await own.undo();
  const after = await nodeOf('node-3');
  assert.deepEqual([after.spec.taints?.map(({ key }) => key), after.metadata.labels], [theirs, { rack: 'a' }]);
});

test('its rights are enough for that, and for nothing else', async (t) => {
  const refused = async (what: string, reply: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await reply;
    assert.ok(status === 403 || status === 422, `${what}: ${status} ${JSON.stringify(body)}`);
  };
  await refused('cordon', patch('/api/v1/nodes/node-3', { spec: { unschedulable: true } }));
  await refused('another taint', patch('/api/v1/nodes/node-3', { spec: { taints: [{ key: 'a.b/c', effect: 'NoExecute' }] } })); // biome-ignore format: one line
  await refused('another label', patch('/api/v1/nodes/node-3', { metadata: { labels: { rack: 'b' } } }));
  await refused('a label away', patch('/api/v1/nodes/node-3', { metadata: { labels: { rack: null } } }));
  await refused('an annotation', patch('/api/v1/nodes/node-3', { metadata: { annotations: { a: 'b' } } }));
  await refused('another condition', patch('/api/v1/nodes/node-3/status', { status: { conditions: [{ type: 'Ready', status: 'False' }] } })); // biome-ignore format: one line
  await refused('capacity', patch('/api/v1/nodes/node-3/status', { status: { capacity: { 'nvidia.com/gpu': '0' } } }));
  const ask = (method: string, path: string, body?: object) => cluster.send(method, path, body, undefined, token);
  await refused('delete a node', ask('DELETE', '/api/v1/nodes/node-3'));
  await refused('create a node', ask('POST', '/api/v1/nodes', { metadata: { name: 'x' } }));
  await refused('delete a pod', ask('DELETE', '/api/v1/namespaces/faultline/pods/faultline-node-3'));
  await refused('evict', ask('POST', '/api/v1/namespaces/faultline/pods/faultline-node-3/eviction', { metadata: { name: 'x' } })); // biome-ignore format: one line
  await refused('secrets', ask('GET', '/api/v1/secrets'));
  const atMs = Date.now();
  await new NodeCondition(settings(t), 'node-3', { status: 'True', kind: 'gpu.lost', message: 'x', atMs }).act();
  const { status } = await nodeOf('node-3');
  assert.deepEqual(status.conditions?.find(({ type }) => type === 'FaultlineFault')?.status, 'True');
});

test('breaker by what the cluster shows; then the taint, seen by the source as a stage that is shown once', async (t) => {
  const cordon = (unschedulable: boolean) => cluster.send('PATCH', '/api/v1/nodes/node-1', { spec: { unschedulable } }, PATCH); // biome-ignore format: one line
  await cordon(true);
  const { sink, audit, reports, pass } = actingWith(t, { kubernetes: settings(t) });
  sink.incident(lost());
  await pass(70_000);
  assert.deepEqual(audit(), ['refused breaker']);
  assert.match(reports[0]?.reason ?? '', /1 of 3 nodes are out of service/);
  await cordon(false);
  const apiServer = { url: cluster.url, caFile: cluster.ca, insecure: false };
  const { events, source } = started(t, temporary(t), { apiServer, tokenFile: cluster.token('admin'), steps: [] });
  await until(() => /^node: watched/m.test(source.health()[0]?.notes?.join('\n') ?? ''), { seen: () => source.health() }); // biome-ignore format: one line
  await pass(70_000);
  assert.deepEqual(audit().slice(1), ['intended', 'done']);
  const seen = await until(() => events.find(({ kind }) => kind === 'host.drained'), { seen: () => events });
  assert.deepEqual([seen.attributes?.set_by, seen.attributes?.what], ['faultline', 'faultline.dev/fault=gpu.lost:NoSchedule']); // biome-ignore format: one line
  const book = new IncidentBook('node-3', []);
  const { events: chain, action } = lost();
  const opened = book.apply(explanation({ events: chain, action }));
  const report = reports.at(-1) ?? assert.fail('nothing was reported');
  const nowMs = seen.timeMs;
  book.acted({ ...report, incidentId: opened?.id ?? '', beganMs: nowMs - 500, endedMs: nowMs - 400 });
  assert.deepEqual(book.lived(makeEvent('node-3', seen)), [], 'it is shown as its own already');
});

test('the breaker counts a node that is not ready, or of which nothing is heard, as the server prints it', async (t) => {
  const own = new NodeTaint(settings(t), 'node-3', 'gpu.lost');
  const out = async () => (await own.count()).out.filter((name) => name !== 'node-3');
  for (const status of ['False', 'Unknown'] as const) {
    await ready('node-4', status);
    assert.deepEqual(await out(), ['node-4'], status);
  }
  await ready('node-4', 'True');
  assert.deepEqual(await out(), []);
});

test('a cordon of others is a stage with who did it, and the uncordon its end', async (t) => {
  const book = new IncidentBook('node-3', []);
  const { events: chain, action } = lost();
  book.apply(explanation({ events: chain, action }));
  const apiServer = { url: cluster.url, caFile: cluster.ca, insecure: false };
  const { events, source } = started(t, temporary(t), { apiServer, tokenFile: cluster.token('admin'), steps: [] });
  await until(() => /^node: watched/m.test(source.health()[0]?.notes?.join('\n') ?? ''), { seen: () => source.health() }); // biome-ignore format: one line
  const cordon = (unschedulable: boolean) => cluster.send('PATCH', '/api/v1/nodes/node-3?fieldManager=node-drainer', { spec: { unschedulable } }, PATCH); // biome-ignore format: one line
  const ofCordon = () => events.filter(({ attributes }) => attributes?.what === 'unschedulable');
  await cordon(true);
  await until(() => ofCordon().length === 1);
  await cordon(false);
  await until(() => ofCordon().length === 2);
  const stages =
    ofCordon()
      .flatMap((input) => book.lived(makeEvent('node-3', input)))
      .at(-1)?.stages ?? [];
  assert.deepEqual(stages.slice(1).map(({ name, action: what, by }) => `${name} ${what} ${by}`), ['quarantined cordon node-drainer', 'returned uncordon null']); // biome-ignore format: one line
});

test('marks of planned work on the node are a plan with who and why, and end with the mark', async (t) => {
  const apiServer = { url: cluster.url, caFile: cluster.ca, insecure: false };
  const { events, source } = started(t, temporary(t), { apiServer, tokenFile: cluster.token('admin'), steps: [] });
  await until(() => /^node: watched/m.test(source.health()[0]?.notes?.join('\n') ?? ''), { seen: () => source.health() }); // biome-ignore format: one line
  const mark = (state: string | null) => cluster.send('PATCH', '/api/v1/nodes/node-3', { metadata: { labels: { 'nvidia.com/gpu-driver-upgrade-state': state } } }, PATCH); // biome-ignore format: one line
  await mark('upgrade-required');
  await mark('pod-restart-required');
  const plans = () => events.filter(({ kind }) => kind === 'host.maintenance');
  await until(() => plans().length === 1, { seen: () => events });
  await mark('upgrade-done');
  await until(() => plans().length === 2, { seen: () => events });
  assert.deepEqual(plans().map(({ state, attributes }) => `${state} ${attributes?.by} ${attributes?.note}`), [
    'onset nvidia.com the GPU operator upgrades the driver (pod-restart-required)',
    'clear nvidia.com the GPU operator upgrades the driver (pod-restart-required)',
  ]); // biome-ignore format: one list
});
