// The jobs that an event hit, as attributes of log records and spans.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Whose } from '../../../src/model/whose.ts';
import { gpuValues, hintValues, whoseValues } from '../../../src/sinks/otlp/whose-values.ts';

const ONE: Whose = {
  job: 'llama',
  aliases: ['991'],
  manager: 'slurm',
  name: 'llama-70b',
  user: 'alice',
  account: null,
  queue: 'gpu',
  attempt: 2,
  pods: [{ namespace: 'ml', name: 'llama-0', uid: 'u-1', container: 'trainer' }],
  ranks: [3],
  by: 'device',
};

const present = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

test('one job, one pod and one rank are under the names of the field, and under those of others', () => {
  assert.deepEqual(present(whoseValues([ONE])), {
    'faultline.jobs': ['llama'],
    'faultline.job.id': 'llama',
    'faultline.job.manager': 'slurm',
    'slurm.job.id': '991',
    'gen_ai.training.job_id': '991',
    'faultline.job.name': 'llama-70b',
    'user.name': 'alice',
    'faultline.job.queue': 'gpu',
    'faultline.job.attempt': 2,
    'k8s.namespace.name': 'ml',
    'k8s.pod.name': 'llama-0',
    'k8s.pod.uid': 'u-1',
    'k8s.container.name': 'trainer',
    'job.rank': 3,
    'gen_ai.training.rank': 3,
  });
});

test('of several jobs none is said to be the one, and of several ranks none', () => {
  assert.deepEqual(whoseValues([ONE, { ...ONE, job: 'other' }]), { 'faultline.jobs': ['llama', 'other'] });
  const ranks = present(whoseValues([{ ...ONE, ranks: [0, 1] }]));
  assert.deepEqual([ranks['faultline.job.ranks'], 'job.rank' in ranks], [[0, 1], false]);
  assert.deepEqual(whoseValues([]), {});
});

test('a pod of no known job is named, a process by its pid is not', () => {
  const pod = present(whoseValues([{ ...ONE, job: null }]));
  assert.deepEqual([pod['k8s.pod.name'], 'faultline.job.id' in pod], ['llama-0', false]);
});

test('the vendor of a GPU is known by a name that only its GPUs have', () => {
  const vendor = (...aliases: string[]) => gpuValues({ type: 'gpu', id: '0000:9b:00.0', aliases })['gpu.vendor'];
  assert.equal(vendor('gpu 0', 'GPU-00000000-0000-0000-0000-000000000001'), 'nvidia');
  assert.equal(vendor('card1', 'GPU-c6a4eeee5e5e5555'), 'amd');
  assert.equal(vendor('card1', 'amdgpu_xcp_3'), 'amd');
  assert.equal(vendor('card1'), undefined);
});

test('GPUs and what Kubernetes reports have the names that others give them', () => {
  assert.deepEqual(gpuValues({ type: 'gpu', id: '0000:9b:00.0', aliases: ['GPU-1'] }), { 'gpu.id': '0000:9b:00.0', 'gpu.vendor': 'nvidia' }); // biome-ignore format: one line
  assert.deepEqual(gpuValues({ type: 'gpu', id: '0000:9b:00.0' }), { 'gpu.id': '0000:9b:00.0' });
  assert.deepEqual(gpuValues({ type: 'nic', id: 'x' }), {});
  assert.deepEqual(
    [hintValues('pod.evicted'), hintValues('pod.start_failed', { reason: 'FailedMount' }), hintValues('host.not_ready'), hintValues('gpu.lost')], // biome-ignore format: one line
    [{ 'k8s.event.hint': 'pod_evicted' }, { 'k8s.event.hint': 'mount_failure' }, { 'k8s.event.hint': 'node_unhealthy' }, {}], // biome-ignore format: one line
  );
});
