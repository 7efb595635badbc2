// The chart held to Helm, to the schemas of Kubernetes' API and to its Pod Security. scripts/test-chart runs it; the default tests do not.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { stringify } from 'yaml';
import { CASES, CHART, golden, ofKind, valuesFile } from './support.ts';

const tools = process.env.FAULTLINE_CHART_TOOLS ?? '';
const folder = mkdtempSync(join(tmpdir(), 'faultline-chart-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function run(tool: string, args: readonly string[], input = '') {
  // Its own home: Helm reads and writes settings of the user.
  const env = { PATH: process.env.PATH, HOME: folder };
  const { status, stdout, stderr, error } = spawnSync(join(tools, tool), args, { input, encoding: 'utf8', env });
  if (error !== undefined) throw error;
  return { status, stdout, stderr };
}

const template = (file: string, ...more: string[]) =>
  run('helm', [
    'template',
    'faultline',
    CHART,
    '--namespace',
    'faultline',
    '--kube-version',
    '1.34.0',
    '--values',
    file,
    ...more,
  ]);

for (const name of CASES) {
  test(`${name}: helm lint finds nothing`, () => {
    const { status, stdout, stderr } = run('helm', ['lint', '--strict', CHART, '--values', valuesFile(name)]);
    assert.equal(status, 0, stdout + stderr);
    assert.doesNotMatch(stdout, /WARNING|ERROR/);
  });

  test(`${name}: the manifests are those that are kept`, () => {
    const { stdout, stderr } = template(valuesFile(name));
    assert.equal(stdout, golden(name), stderr || 'Run: scripts/test-chart --write, and look at what changed');
  });

  for (const version of ['v1.28.15', 'v1.34.4'])
    test(`${name}: they fit the schemas of Kubernetes ${version}, unknown keys refused`, () => {
      // The type of PodMonitor is the Prometheus operator's; the profile of AppArmor is a field since 1.30.
      const skip =
        version === 'v1.28.15' && golden(name).includes('appArmorProfile') ? 'PodMonitor,DaemonSet' : 'PodMonitor';
      // Tried on a real API server: test/sources/kubernetes/real/acting.slow.ts.
      const policies = 'ValidatingAdmissionPolicy,ValidatingAdmissionPolicyBinding';
      const places = join(tools, 'schemas', version, '{{.ResourceKind}}{{.KindSuffix}}.json');
      const { status, stdout } = run(
        'kubeconform',
        ['-strict', '-summary', '-skip', `${skip},${policies}`, '-schema-location', places],
        golden(name),
      );
      assert.equal(status, 0, stdout);
      assert.match(stdout, /Invalid: 0, Errors: 0/);
    });
}

const FORBIDDEN = {
  lean: ['host namespaces', 'hostPath volumes', 'non-default capabilities'],
  full: ['host namespaces', 'hostPath volumes', 'privileged'],
  everything: ['forbidden AppArmor profile', 'host namespaces', 'hostPath volumes', 'non-default capabilities'],
  minimal: [],
} as const;

for (const [name, reasons] of Object.entries(FORBIDDEN))
  test(`${name}: Pod Security's baseline forbids ${reasons.join(', ') || 'nothing'}`, () => {
    for (const set of ofKind(golden(name), 'DaemonSet')) {
      const { status, stdout, stderr } = run('pod-security', [], stringify(set));
      assert.equal(status, 0, stderr);
      const found = stdout.split('\n').filter((line) => line.startsWith('baseline: ')).map((line) => line.split(': ')[1]); // biome-ignore format: one line
      assert.deepEqual(found.sort(), [...reasons].sort(), stdout);
    }
  });

test('minimal: Pod Security’s restricted forbids user 0 alone', () => {
  const { stdout } = run('pod-security', [], stringify(ofKind(golden('minimal'), 'DaemonSet')[0]));
  assert.deepEqual(stdout.split('\n').filter((line) => line !== '').map((line) => line.split(': ')[1]).sort(), ['runAsNonRoot != true', 'runAsUser=0']); // biome-ignore format: one line
});

for (const [what, values, line] of [
  ['a key that is not known', { profil: 'lean' }, /additional properties 'profil' not allowed/],
  ['a profile that is not known', { profile: 'medium' }, /\/profile'?: value must be one of 'lean', 'full'/],
  [
    'a source that is not known',
    { config: { sources: { gpus: {} } } },
    /\/config\/sources'?: additional properties 'gpus'/,
  ],
  [
    'a duration that is none',
    { config: { sources: { gpu: { interval: 'soon' } } } },
    /\/config\/sources\/gpu\/interval'?: 'soon' does not match/,
  ],
  [
    'a driver that lean cannot open',
    { gpu: { driverRoot: '/', runtimeClassName: '' } },
    /gpu\.driverRoot needs profile: full/,
  ],
  [
    'two ways to the driver',
    { profile: 'full', gpu: { driverRoot: '/' } },
    /both set\. Write: gpu\.runtimeClassName: ""/,
  ],
  ['a canary of the same image', { canary: { enabled: true } }, /Write: canary\.tag or canary\.digest/],
  ['a service account without rights', { rbac: { create: false } }, /the new service account would have no rights/],
  [
    'a secret that is written out',
    { extraEnv: [{ name: 'BMC_PASSWORD', value: 'x' }] },
    /extraEnv BMC_PASSWORD looks like a secret/,
  ],
] as const)
  test(`a line says what is wrong: ${what}`, () => {
    const file = join(folder, 'bad.yaml');
    writeFileSync(file, stringify(values));
    const { status, stderr } = template(file);
    assert.equal(status, 1);
    assert.match(stderr, line);
    assert.doesNotMatch(stderr, /nil pointer|can't evaluate/);
  });

test('the values that the guide shows make manifests', () => {
  const guide = readFileSync(join(CHART, '../../../docs/guide/kubernetes.md'), 'utf8');
  const file = join(folder, 'guide.yaml');
  writeFileSync(file, /<!-- chart values -->\n```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? '');
  const { status, stdout, stderr } = template(file);
  assert.equal(status, 0, stderr);
  assert.equal(ofKind(stdout, 'DaemonSet').length, 2);
});
