// The commands of the guide to Kubernetes as they are written there, on a real API server: the namespace and its label by the API, which
// is what kubectl does with them, and the installation, its upgrade and its end by helm itself. scripts/test-chart runs it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { codeBlocks, ROOT, read } from '../../docs/markdown.ts';
import { type Cluster, startCluster } from '../../sources/kubernetes/real/cluster.ts';

const home = mkdtempSync(join(tmpdir(), 'faultline-helm-'));
let cluster: Cluster;
before(async () => {
  cluster = await startCluster(process.env.FAULTLINE_KUBERNETES_BINARIES ?? '');
});
after(async () => {
  await cluster?.stop();
  rmSync(home, { recursive: true, force: true });
});

/** Lines of the block of that number below a heading of the guide. */
function typed(heading: string, number: number): string[] {
  const page = read('docs/guide/kubernetes.md');
  const below = page.slice(page.indexOf(`## ${heading}\n`));
  const blocks = codeBlocks(below).filter(({ info }) => info === 'sh');
  return (blocks[number]?.text ?? '').split('\n').filter((line) => line !== '');
}

function helm(...words: string[]): { status: number | null; said: string } {
  const access = ['--kube-apiserver', cluster.url, '--kube-token', 'token-admin', '--kube-insecure-skip-tls-verify'];
  const program = join(process.env.FAULTLINE_CHART_TOOLS ?? '', 'helm');
  const env = { PATH: process.env.PATH, HOME: home, KUBECONFIG: join(home, 'none') };
  const { status, stdout, stderr } = spawnSync(program, [...words, ...access], { cwd: ROOT, encoding: 'utf8', env });
  return { status, said: stdout + stderr };
}

test('what the guide says to type installs the chart, and helm upgrades and removes it', async () => {
  const [create = '', label = '', install = '', ...more] = typed('By Helm', 0);
  assert.deepEqual(more, []);
  const [, namespace = ''] = /^kubectl create namespace (\S+)$/.exec(create) ?? [];
  const made = await cluster.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  assert.equal(made.status, 201, create);
  const [, to, key = '', value] = /^kubectl label namespace (\S+) (\S+)=(\S+)$/.exec(label) ?? [];
  const labels = { metadata: { labels: { [key]: value } } };
  const patched = await cluster.send('PATCH', `/api/v1/namespaces/${to}`, labels, 'application/merge-patch+json');
  assert.equal(patched.status, 200, label);
  const [first, ...words] = install.split(' ');
  assert.equal(first, 'helm');
  const { status, said } = helm(...words);
  assert.equal(status, 0, said);
  assert.match(said, /STATUS: deployed/);
  assert.match(said, /faultline doctor/, 'the notes say what to do first');
  const daemonSet = () => cluster.send('GET', `/apis/apps/v1/namespaces/${namespace}/daemonsets/faultline`);
  assert.equal((await daemonSet()).status, 200);
  const upgraded = helm('upgrade', 'faultline', 'deploy/helm/faultline', '--namespace', namespace, '--reuse-values', '--set', 'profile=full'); // biome-ignore format: one line
  assert.equal(upgraded.status, 0, upgraded.said);
  const refused = helm('upgrade', 'faultline', 'deploy/helm/faultline', '--namespace', namespace, '--reuse-values', '--set', 'profile=fat'); // biome-ignore format: one line
  assert.equal(refused.status, 1);
  assert.match(refused.said, /profile/);
  assert.equal(helm('rollback', 'faultline', '1', '--namespace', namespace).status, 0);
  assert.equal(helm('uninstall', 'faultline', '--namespace', namespace).status, 0);
  assert.equal((await daemonSet()).status, 404);
});
