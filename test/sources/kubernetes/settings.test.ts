// Settings: what a pod's environment says of its cluster, and what is refused.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compose } from '../../../src/config/compose.ts';
import { checkConfig } from '../../../src/config/load-config.ts';
import { findRoot } from '../../../src/sources/kubernetes/find-root.ts';
import { kubernetes } from '../../../src/sources/kubernetes/index.ts';
import { surroundings } from '../../config/helpers.ts';
import { temporary } from './support.ts';

const composed = compose({ sources: [kubernetes] as const, sinks: [] });

async function settings(text: string, environment: Record<string, string> = {}) {
  const { config } = await checkConfig(composed, text, '/etc/faultline/f.yaml', { ...surroundings(), environment });
  return config.sources.kubernetes;
}

test('in a pod: its cluster, its account, its node', async () => {
  const found = await settings('host: node-3\n', {
    KUBERNETES_SERVICE_HOST: 'fd00::1',
    KUBERNETES_SERVICE_PORT: '443',
    NODE_NAME: 'gpu-17.example',
    HOST_IP: '10.0.0.3',
  });
  const account = '/var/run/secrets/kubernetes.io/serviceaccount';
  assert.deepEqual(found.apiServer, { url: 'https://[fd00::1]:443', caFile: `${account}/ca.crt`, insecure: false });
  assert.deepEqual(found.kubelet, { url: 'https://10.0.0.3:10250', caFile: `${account}/ca.crt`, insecure: false });
  assert.deepEqual([found.tokenFile, found.node], [`${account}/token`, 'gpu-17.example']);
});

test('on a host nothing is asked over the network unless it is written', async () => {
  const found = await settings('host: node-3\n');
  assert.deepEqual([found.apiServer, found.kubelet, found.tokenFile, found.node], [null, null, null, 'node-3']);
});

test('a token in the clear, a URL with a path, and a step that is none are refused', async () => {
  for (const [text, reported] of [
    ['{api_server: "http://10.0.0.1:8080"}', /api_server sends the token in the clear\. Write: api_server: https:\/\/10\.0\.0\.1:8080/],
    ['{api_server: "http://127.evil.example:8080"}', /api_server sends the token in the clear/],
    ['{kubelet_url: "https://node/pods"}', /kubelet_url/],
    ['{steps: [guess]}', /steps/],
    ['{node: "../x"}', /node/],
  ] as const)
    await assert.rejects(settings(`host: node-3\nsources: {kubernetes: ${text}}\n`), reported);
  assert.equal((await settings('host: n\nsources: {kubernetes: {api_server: "http://127.0.0.1:1"}}\n')).apiServer?.url, 'http://127.0.0.1:1');
}); // biome-ignore format: one table

test('kubelet’s root: the folder that is there, else what its command line says', async (t) => {
  const folder = temporary(t);
  const [proc, root] = [join(folder, 'proc'), join(folder, 'opt/kubelet')];
  assert.equal(await findRoot(proc, [join(folder, 'none')]), null);
  mkdirSync(join(root, 'pods'), { recursive: true });
  assert.deepEqual(await findRoot(proc, [join(folder, 'none'), root]), { path: root, shut: false });
  mkdirSync(join(proc, '4711'), { recursive: true });
  writeFileSync(join(proc, '4711/comm'), 'kubelet\n');
  writeFileSync(join(proc, '4711/cmdline'), ['/usr/bin/kubelet', '--v=2', `--root-dir=${root}`, ''].join('\0'));
  const usual = await findRoot(proc);
  // A machine that is a node itself has its own root in the usual place.
  if (usual?.path.startsWith(folder) !== true) assert.match(usual?.path ?? '', /kubelet/);
  else assert.deepEqual(usual, { path: root, shut: false });
});
