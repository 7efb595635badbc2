// The chart on a real API server: every manifest is taken, the service account can do what it needs and nothing else, and a pod of
// each profile is admitted where the guide says. scripts/test-chart runs it; the default tests do not.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { stringify } from 'yaml';
import { type Cluster, startCluster } from '../../sources/kubernetes/real/cluster.ts';
import { CHART, golden, type Manifest, manifests, ofKind, podOf } from './support.ts';

let cluster: Cluster;
const PLURAL: Readonly<Record<string, string>> = { NetworkPolicy: 'networkpolicies' };

before(async () => {
  cluster = await startCluster(process.env.FAULTLINE_KUBERNETES_BINARIES ?? '');
  for (const [name, level] of [['faultline', 'privileged'], ['shut', 'baseline']] as const) // biome-ignore format: one line
    await made('/api/v1/namespaces', { metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': level } } });
  await made('/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: 'nvidia' }, handler: 'nvidia' });
});
after(() => cluster?.stop());

async function made(path: string, body: object): Promise<void> {
  const { status, body: reply } = await cluster.send('POST', `${path}?fieldValidation=Strict`, body);
  assert.equal(status, 201, `${path}: ${JSON.stringify(reply)}`);
}

function pathOf({ apiVersion, kind, metadata }: Manifest): string {
  const base = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const within = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  return `${base}${within}/${PLURAL[kind] ?? `${kind.toLowerCase()}s`}`;
}

for (const name of ['lean', 'full', 'everything', 'minimal'])
  test(`${name}: the server takes each manifest, with no key that it does not know`, async () => {
    // PodMonitor is a type of the Prometheus operator's.
    const taken = manifests(golden(name)).filter(({ kind }) => kind !== 'PodMonitor');
    for (const one of taken) await made(pathOf(one), one);
    for (const one of taken)
      assert.equal((await cluster.send('DELETE', `${pathOf(one)}/${one.metadata.name}`)).status, 200);
  });

test('a pod of lean is admitted where the namespace says privileged, and refused with reasons where it says baseline', async () => {
  const template = ofKind(golden('lean'), 'DaemonSet')[0];
  const pod = (name: string) => ({ metadata: { name }, spec: podOf(template) });
  await made('/api/v1/namespaces/faultline/pods', pod('admitted'));
  const { status, body } = await cluster.send('POST', '/api/v1/namespaces/shut/pods', pod('refused'));
  assert.equal(status, 403);
  for (const reason of [/host namespaces \(hostPID=true\)/, /hostPath volumes/, /non-default capabilities .*PERFMON/])
    assert.match(JSON.stringify(body), reason);
});

test('with the token of its service account: this node’s pods, and neither secrets, nor exec, nor writes', async () => {
  for (const one of manifests(golden('lean')).filter(
    ({ kind }) => kind.startsWith('ClusterRole') || kind === 'ServiceAccount',
  ))
    await made(pathOf(one), one);
  const asked = await cluster.send('POST', '/api/v1/namespaces/faultline/serviceaccounts/faultline/token', {
    spec: {},
  });
  const {
    status: { token },
  } = asked.body as { status: { token: string } }; // of the server's own answer
  const can = async (verb: string, resource: string, more: object = {}): Promise<boolean> => {
    const attributes = { verb, resource, namespace: 'faultline', ...more };
    const spec = { resourceAttributes: attributes };
    const { body } = await cluster.send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec }, 'application/json', token); // biome-ignore format: one line
    return (body as { status: { allowed: boolean } }).status.allowed;
  };
  for (const [verb, resource] of [['list', 'pods'], ['watch', 'pods'], ['list', 'nodes'], ['list', 'events']] as const) // biome-ignore format: one line
    assert.equal(await can(verb, resource), true, `${verb} ${resource}`);
  for (const [
    verb,
    resource,
    subresource,
  ] of [['get', 'pods'], ['create', 'pods'], ['delete', 'pods'], ['get', 'secrets'], ['create', 'pods', 'exec'], ['get', 'nodes', 'proxy'], ['get', 'nodes', 'pods'], ['patch', 'nodes']] as const) // biome-ignore format: one line
    assert.equal(await can(verb, resource, { subresource }), false, `${verb} ${resource} ${subresource}`);
});

test('helm installs, upgrades, refuses a bad value with nothing lost, goes back, and leaves nothing behind', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-helm-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const named = { name: 'test' };
  const access = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ ...named, cluster: { server: cluster.url, 'insecure-skip-tls-verify': true } }],
    users: [{ ...named, user: { token: readFileSync(cluster.token('admin'), 'utf8') } }],
    contexts: [{ ...named, context: { cluster: 'test', user: 'test' } }],
  };
  writeFileSync(join(folder, 'config'), stringify(access));
  await made('/api/v1/namespaces', { metadata: { name: 'by-helm' } });
  const helm = (...args: string[]) =>
    spawnSync(join(process.env.FAULTLINE_CHART_TOOLS ?? '', 'helm'), [...args, '--namespace', 'by-helm'], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder, KUBECONFIG: join(folder, 'config') },
    });
  const done = (...args: string[]): string => {
    const { status, stdout, stderr } = helm(...args);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const privileged = async (): Promise<boolean> => {
    const { body } = await cluster.send('GET', '/apis/apps/v1/namespaces/by-helm/daemonsets/faultline');
    return podOf(body as Manifest).containers[0].securityContext.privileged;
  };
  const notes = done('install', 'faultline', CHART);
  assert.match(notes, /kubectl -n by-helm exec daemonset\/faultline -- faultline doctor/);
  // The server was asked: it has the RuntimeClass.
  assert.doesNotMatch(notes, /There is no RuntimeClass/);
  assert.equal(await privileged(), false);
  done('upgrade', 'faultline', CHART, '--set', 'profile=full');
  assert.equal(await privileged(), true);
  const bad = helm('upgrade', 'faultline', CHART, '--set', 'config.sources.gpu.interval=soon');
  assert.equal(bad.status, 1);
  assert.match(bad.stderr, /config\/sources\/gpu\/interval'?: 'soon' does not match/);
  assert.equal(await privileged(), true);
  done('rollback', 'faultline', '1');
  assert.equal(await privileged(), false);
  assert.match(
    done('install', 'other', CHART, '--set', 'gpu.runtimeClassName=absent', '--dry-run=server'),
    /no RuntimeClass absent/,
  );
  done('uninstall', 'faultline');
  for (const kind of [
    '/apis/apps/v1/namespaces/by-helm/daemonsets',
    '/api/v1/namespaces/by-helm/serviceaccounts',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ]) {
    const { body } = await cluster.send('GET', kind);
    const names = (body as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
    assert.deepEqual(
      names.filter(
        (name) => name.startsWith('faultline-by-helm') || (name === 'faultline' && kind.includes('by-helm')),
      ),
      [],
    );
  }
});
