// What a log is called whose lines name neither host nor job.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Labels } from '../../../src/commands/scan/labels.ts';

const UID = '1c2d3e4f-0000-4000-8000-123456789abc';

test('a job is called by its number, or its pod, where the path has one', () => {
  for (const [path, job] of [
    ['/logs/slurm-8812.out', '8812'],
    ['/logs/slurm-8812_3.out', '8812_3'],
    ['/logs/slurm-9.out', '9'],
    ['/logs/job.8812.log', '8812'],
    ['/logs/llama.o8812', '8812'],
    [`/var/log/pods/ml_llama-worker-0_${UID}/trainer/0.log`, 'llama-worker-0'],
    [`/var/log/containers/llama-worker-0_ml_trainer-${'0f'.repeat(32)}.log`, 'llama-worker-0'],
  ] as const)
    assert.deepEqual([new Labels().of(path).job, new Labels().of(path).isGuessed], [job, false], path);
});

test('any other job is called after its file, which is said to be a guess', () => {
  for (const [path, job] of [
    ['/logs/train.log', 'train'],
    ['/logs/job-1.log', 'job-1'],
    ['/logs/slurm-8812-old.out', 'slurm-8812-old'],
    ['-', '-'],
  ] as const)
    assert.deepEqual([new Labels().of(path).job, new Labels().of(path).isGuessed], [job, true], path);
});

test('a host that nothing names has the name of the file, which no host can have', () => {
  const labels = new Labels();
  const hosts = ['/a/dmesg.txt', '/b/dmesg.txt', '/b/dmesg.txt'].map((path) => labels.of(path).host);
  assert.equal(labels.of(`/var/log/pods/ml_llama-0_${UID}/trainer/0.log`).host, 'log:llama-0:0.log');
  assert.deepEqual(hosts, ['log:dmesg.txt', 'log:b:dmesg.txt', 'log:b:dmesg.txt#2']);
});

test('logs of long names that begin alike, and one whose name is free no more, are called each by itself', () => {
  const labels = new Labels();
  const long = Array.from({ length: 20 }, (_, i) => `/a/${'a'.repeat(125)}${i % 2}.txt`);
  const taken = [10, 11, 12].map((number) => `/c/b#${number}`);
  const paths = [...long, ...taken, ...Array.from({ length: 20 }, () => '/a/b')];
  const all = paths.map((path) => labels.of(path));
  assert.equal(new Set(all.map(({ host }) => host)).size, paths.length);
  assert.equal(new Set(all.map(({ job }) => job)).size, paths.length);
  assert.ok(all.every(({ job }) => job.length <= 120));
});

test('a job is not called after the host that the name of its log has, and the number next to it is that of the job', () => {
  for (const [path, job, isGuessed] of [
    ['/logs/hx-06-slurm-88123.out', '88123', false],
    ['/logs/slurm-88123_4.hx-06.out', '88123_4', false],
    ['/logs/pretrain-412233-hx-06.out', '412233', false],
    ['/logs/vllm-8000-hx-06.log', 'vllm-8000', true],
    ['/logs/megatron-hx-06.log', 'megatron', true],
    ['/logs/hx-06.log', 'hx-06', true],
  ] as const)
    assert.deepEqual([new Labels().of(path).job, new Labels().of(path).isGuessed], [job, isGuessed], path);
  assert.equal(new Labels().of('/logs/slurmd-hx-06.log').isDaemon, true);
  const labels = new Labels();
  assert.deepEqual(
    ['megatron-hx-06.log', 'megatron-hx-07.log'].map((name) => labels.of(`/logs/${name}`).job),
    ['megatron', 'megatron-hx-07'],
  );
});
