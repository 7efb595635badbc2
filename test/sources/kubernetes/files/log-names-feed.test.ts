// Pods by the names of their logs: split safely, the latest run, ids by links that may be cut or lead elsewhere.

import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../until.ts';
import { started, temporary } from '../support.ts';

const UID = '11111111-0000-4000-8000-000000000001';
const HASH = 'ab'.repeat(16);
const ID = 'c'.repeat(64);

test('namespace, name, uid, container, run and id', async (t) => {
  const folder = temporary(t);
  const logs = join(folder, 'log/pods');
  const log = (pod: string, container: string, name: string) => {
    mkdirSync(join(logs, pod, container), { recursive: true });
    writeFileSync(join(logs, pod, container, name), '');
  };
  log(`train_llama-worker-0_${UID}`, 'main', '0.log');
  log(`train_llama-worker-0_${UID}`, 'main', '2.log');
  log(`train_llama-worker-0_${UID}`, 'main', '2.log.20261128-100000.gz');
  log(`kube-system_kube-proxy-node-3_${HASH}`, 'proxy', '10.log');
  log('not a pod', 'x', '0.log');
  log('a_b', 'x', '0.log');
  mkdirSync(join(folder, 'log/containers'));
  const link = (name: string, target: string) => symlinkSync(target, join(folder, 'log/containers', name));
  // The host's own path, whatever is mounted where.
  link(`llama-worker-0_train_main-${ID}.log`, `/var/log/pods/train_llama-worker-0_${UID}/main/2.log`);
  link(`cut_train_main-${'d'.repeat(40)}.log`, `/var/log/pods/kube-system_kube-proxy-node-3_${HASH}/proxy/10.log`);
  const { identity, source } = started(t, folder, { steps: ['log_names'] });
  await until(() => identity.work.pods.size === 2);
  const [pod, proxy] = identity.work.pods.values();
  assert.deepEqual([pod?.namespace, pod?.name, pod?.uid, pod?.configHash], ['train', 'llama-worker-0', UID, null]);
  const path = join(logs, `train_llama-worker-0_${UID}`, 'main', '2.log');
  assert.deepEqual(pod?.containers, [{ name: 'main', id: ID, variables: {}, devices: [], log: path }]);
  assert.deepEqual([proxy?.configHash, proxy?.containers[0]?.id], [HASH, null]);
  assert.match(source.health()[0]?.detail ?? '', /2 pods by names of log files.*no owner, no variables/);

  rmSync(join(logs, `train_llama-worker-0_${UID}`), { recursive: true });
  identity.work.processes.set((await import('../support.ts')).processIn('ffffffff-0000-4000-8000-00000000000f', 1));
  await until(() => identity.work.pods.size === 1);
});
