// Identity: facts from several sources answer one question; what they do not settle is null.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Identity } from '../../src/identity/identity.ts';
import { rankEnvironment } from '../../src/identity/rank/environment.ts';
import type { RankProcess } from '../../src/identity/rank/processes.ts';

const gpu = { type: 'gpu', id: '0000:9b:00.0', aliases: ['gpu 0'] } as const;

function rank(pid: number, variables: Readonly<Record<string, string>>): RankProcess {
  const environment = rankEnvironment({ RANK: '3', ...variables });
  assert.ok(environment !== null);
  return { ...environment, pid, root: '', role: '' };
}

test('the GPU of a rank follows from its environment and from what the driver lists', () => {
  const identity = new Identity('node-3');
  const one = rank(77, { LOCAL_RANK: '0', CUDA_DEVICE_ORDER: 'PCI_BUS_ID' });
  assert.equal(identity.gpuOf(one), null);
  identity.gpus.found(gpu, 'H100');
  assert.equal(identity.gpuOf(one), gpu);
  assert.equal(identity.gpuOf(rank(78, {})), null);
  identity.gpus.usedBy(gpu.id, [78]);
  assert.equal(identity.gpuOf(rank(78, {})), gpu);
});

test('what a source found gives events its names, and is known to operators', () => {
  const identity = new Identity('node-3');
  assert.equal(identity.names.has(gpu), false);
  identity.learn({ component: { ...gpu, host: 'node-3', parent: 'host/node-3' }, links: [] });
  assert.equal(identity.resolve({ type: 'gpu', id: gpu.id })?.host, 'node-3');
  assert.equal(identity.names.has(gpu), true);
  assert.equal(identity.resolve(null), null);
});
