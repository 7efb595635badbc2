// The manifests that the chart makes, as scripts/test-chart keeps them: rights, mounts, probes, and a configuration that the daemon takes.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkConfig } from '../../../src/daemon/config.ts';
import { CASES, golden, manifests, ofKind, podOf } from './support.ts';

for (const name of CASES) {
  test(`${name}: the daemon takes the configuration without a warning`, async (t) => {
    const text = ofKind(golden(name), 'ConfigMap')[0]?.data?.['faultline.yaml'] ?? '';
    const environment = { NODE_NAME: 'node-3', HOST_IP: '10.0.0.3', BMC_ADDRESS: '10.0.0.7', PDU_COMMUNITY: 'x' };
    // As a Secret mounts it.
    const folder = mkdtempSync(join(tmpdir(), 'faultline-chart-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'secret'), 'authorization=x', { mode: 0o400 });
    const here = text.replaceAll(/\/etc\/faultline-secrets\/\w+\/\w+/g, join(folder, 'secret'));
    const surroundings = { environment, uid: 0, home: '/root', hostname: 'pod-x' };
    const loaded = await checkConfig(here, '/etc/faultline/faultline.yaml', surroundings);
    assert.deepEqual(loaded.warnings, []);
    assert.equal(loaded.config.host, 'node-3');
    assert.equal(loaded.config.directories.log, '/var/lib/faultline/log');
  });

  test(`${name}: folders of the node alone are mounted, read-only but for the state, and liveness asks the daemon alone`, () => {
    for (const set of ofKind(golden(name), 'DaemonSet')) {
      const pod = podOf(set);
      const [container] = pod.containers;
      for (const { name: volume, hostPath } of pod.volumes) {
        if (hostPath === undefined) continue;
        assert.ok([undefined, 'DirectoryOrCreate'].includes(hostPath.type), volume);
        const mount = container.volumeMounts.find((one) => one.name === volume);
        assert.equal(mount?.readOnly ?? false, volume !== 'state', volume);
      }
      assert.deepEqual(pod.volumes.map((one) => one.name).sort(), container.volumeMounts.map((one) => one.name).sort());
      assert.equal(container.livenessProbe.httpGet.path, '/healthz');
      assert.equal(container.securityContext.readOnlyRootFilesystem, true);
    }
  });
}

test('lean drops all capabilities but three, opens no device, and runs under the runtime’s filter of system calls', () => {
  const pod = podOf(ofKind(golden('lean'), 'DaemonSet')[0]);
  const { privileged, allowPrivilegeEscalation, capabilities } = pod.containers[0].securityContext;
  assert.deepEqual({ privileged, allowPrivilegeEscalation, capabilities }, { privileged: false, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'], add: ['SYSLOG', 'DAC_READ_SEARCH', 'PERFMON'] } }); // biome-ignore format: one line
  assert.deepEqual(pod.securityContext.seccompProfile, { type: 'RuntimeDefault' });
  assert.ok(!pod.volumes.some(({ hostPath }) => hostPath?.path.startsWith('/dev')));
});

test('only full is privileged, and takes the driver from the node', () => {
  assert.deepEqual(CASES.filter((name) => ofKind(golden(name), 'DaemonSet').some((set) => podOf(set).containers[0].securityContext.privileged)), ['full']); // biome-ignore format: one line
  const text = ofKind(golden('full'), 'ConfigMap')[0]?.data?.['faultline.yaml'] ?? '';
  assert.match(text, /library: \/host\/driver\/usr\/lib\/x86_64-linux-gnu\/libnvidia-ml\.so\.1/);
  assert.match(text, /enabled: "on"/);
  assert.match(text, /poll: "off"/);
});

test('rights are asked for by feature, and with none there is no token in the pod', () => {
  const rules = (name: string) => ofKind(golden(name), 'ClusterRole').flatMap((role) => role.rules ?? []);
  const pods = { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] };
  const nodes = { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] };
  const events = { apiGroups: [''], resources: ['events'], verbs: ['list'] };
  assert.deepEqual(rules('lean'), [pods, nodes, events]);
  const patch = (resource: string, ...verbs: string[]) => ({ apiGroups: [''], resources: [resource], verbs });
  assert.deepEqual(rules('everything'), [
    patch('nodes', 'list', 'patch'),
    patch('nodes/status', 'patch'),
    pods,
    nodes,
    events,
    { apiGroups: [''], resources: ['nodes/pods'], verbs: ['get'] },
  ]);
  assert.deepEqual(rules('minimal'), []);
  const minimal = podOf(ofKind(golden('minimal'), 'DaemonSet')[0]);
  assert.deepEqual([minimal.automountServiceAccountToken, minimal.hostPID], [false, false]);
});

test('a canary is a second set, and no node has both', () => {
  const sets = ofKind(golden('everything'), 'DaemonSet');
  assert.deepEqual(sets.map((set) => set.metadata.name), ['faultline', 'faultline-canary']); // biome-ignore format: one line
  const [stable, canary] = sets.map((set) =>
    JSON.stringify(podOf(set).affinity).match(/"faultline\/canary","operator":"(\w+)"/g),
  );
  assert.ok((stable ?? []).length > 0 && stable?.every((term) => term.includes('DoesNotExist')));
  assert.ok((canary ?? []).length === stable?.length && canary?.every((term) => term.includes('"Exists"')));
});

test('all that is in a namespace names it', () => {
  for (const one of manifests(golden('everything')))
    assert.equal(
      one.metadata.namespace,
      /^(?:ClusterRole|ValidatingAdmission)/.test(one.kind) ? undefined : 'faultline',
      one.kind,
    );
});

test('traps of PDUs reach the daemon: a port of the node, and one that the policy lets in; without them there is neither', () => {
  const [set] = ofKind(golden('everything'), 'DaemonSet');
  const ports = podOf(set).containers[0].ports.filter(({ protocol }) => protocol === 'UDP');
  assert.deepEqual(ports, [{ name: 'traps-1162', containerPort: 1162, hostPort: 1162, protocol: 'UDP' }]);
  const [policy] = ofKind(golden('everything'), 'NetworkPolicy');
  assert.match(JSON.stringify(policy), /"ingress":.*\{"protocol":"UDP","port":1162\}/);
  assert.doesNotMatch(JSON.stringify(ofKind(golden('lean'), 'DaemonSet')), /UDP/);
});
