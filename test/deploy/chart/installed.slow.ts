// The chart on a real API server: every manifest is taken, the service account can do what it needs and nothing else, and a pod of
// each profile is admitted where the guide says. scripts/test-chart runs it; the default tests do not.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Cluster, startCluster } from '../../sources/kubernetes/real/cluster.ts';
import { golden, type Manifest, manifests, ofKind, podOf } from './support.ts';

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
