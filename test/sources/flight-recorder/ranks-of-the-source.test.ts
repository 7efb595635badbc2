// The source and the ranks of its jobs: whom it asks for dumps, and what their environment tells it.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Identity } from '../../../src/identity/identity.ts';
import { makeCase } from '../../native-fr/generator/cases.ts';
import { job, procOf, ranksOf, root, shareFiles, start } from './source-under-test.ts';

test('ranks are asked for dumps at the fault of a device, and once more when the job has stopped', async () => {
  const folder = mkdtempSync(join(root, 'asked-'));
  execFileSync('mkfifo', [join(folder, 'pipe_0.pipe')]);
  const pipe = openSync(join(folder, 'pipe_0.pipe'), constants.O_RDWR | constants.O_NONBLOCK);
  const proc = procOf([0], folder, `TORCH_NCCL_DEBUG_INFO_PIPE_FILE=${folder}/pipe_`);
  shareFiles(proc, 1);
  const running = start([folder], proc, {}, { trigger: true });
  try {
    await running.until(() => running.source.health()[0]?.detail.includes('1 ranks') ?? false);
    for (const why of ['device', 'job', 'device', 'job'] as const) running.source.suspect(why);
    let got = '';
    const read = Buffer.alloc(64);
    await running.until(() => {
      try {
        got += read.toString('latin1', 0, readSync(pipe, read));
      } catch {
        // Empty so far.
      }
      return got.length >= 2;
    });
    assert.equal(got, '11');
  } finally {
    await running.source.stop();
    closeSync(pipe);
  }
});

test('the environment of the ranks tells folder, job, places and GPUs', async () => {
  const { folder, culprits } = job('cascade');
  const [culprit = 0] = culprits;
  const proc = procOf([culprit], folder);
  // In its own mount namespace the path is under the process's root.
  const inside = join(proc, '100', 'root', folder);
  mkdirSync(inside, { recursive: true });
  for (const { name, bytes } of makeCase('cascade', 1).files) writeFileSync(join(inside, name), bytes);
  writeFileSync(join(proc, '100', 'cmdline'), ['python', '-u', '/job/train.py', '--pp-size', '4', ''].join('\0'));
  const gpu = { type: 'gpu', id: '0000:9b:00.0', host: 'node-3', aliases: ['gpu 0'] } as const;
  const identity = new Identity('node-3');
  identity.gpus.found(gpu, 'NVIDIA H100');
  const { source, events, ranksHere, until } = start([], proc, { identity });
  await until(() => events.length > 0);
  await source.stop();
  assert.deepEqual(ranksOf(events, 'job.collective_desync'), [`rank/981/${culprit}`]);
  const [found] = await ranksHere();
  assert.deepEqual(
    found?.links.map(({ from, to, relation }) => `${from.type}/${from.id} ${relation} ${to.type}/${to.id}`),
    ['host/node-3 runs job/981', `gpu/0000:9b:00.0 runs rank/981/${culprit}`, `rank/981/${culprit} member_of job/981`],
  );
  assert.equal(found?.attributes?.role, `train.py stage ${Math.floor(culprit / 4)}/4`);
});

test('a folder of the configuration into which ranks dump is reported once, under the configured name', async () => {
  const { folder, culprits } = job('not_joined');
  const proc = procOf(
    Array.from({ length: 16 }, (_, rank) => rank),
    folder,
  );
  shareFiles(proc, 16);
  const { source, events, ranksHere, until } = start([folder], proc);
  await until(() => events.length >= 16);
  await until(() => (source.counts()[0]?.reads ?? 0) > 0);
  await source.stop();
  assert.equal(events.length, 16);
  assert.deepEqual(ranksOf(events, 'job.collective_desync'), [`rank/llama/${culprits[0]}`]);
  const found = await ranksHere();
  assert.equal(found.length, 16);
  assert.deepEqual(new Set(found.map(({ component }) => component.parent)), new Set(['job/llama']));
  const { did } = events.find(({ kind }) => kind === 'job.collective_desync')?.attributes ?? {};
  assert.match(String(did), /^did not enter all_reduce number \d+ of /);
  const waits = events.find(({ kind }) => kind === 'job.collective_timeout')?.attributes?.did;
  assert.match(String(waits), /^in all_reduce number \d+ of /);
  assert.match(source.health()[0]?.detail ?? '', /^16 ranks here, 16 dumps in 1 folders, 1 analyses/);
});

test('a job that switched its recorder or its dumps off is reported once, with the setting', async () => {
  for (const setting of ['TORCH_NCCL_TRACE_BUFFER_SIZE=0', 'TORCH_NCCL_DUMP_ON_TIMEOUT=False']) {
    let nowMs = 1000;
    const { source, events, until } = start([], procOf([4, 3], '/dumps', setting), { now: () => (nowMs += 30_000) });
    const looks = nowMs + 6 * 30_000;
    await until(() => nowMs > looks);
    await source.stop();
    assert.deepEqual(
      events.map(({ kind, component, attributes }) => [kind, component?.id, attributes?.setting, attributes?.ranks]),
      [['config.flight_recorder_off', '981', setting, '3, 4']],
    );
  }
  const { source, events, until } = start([], procOf([4], '/dumps', 'TORCH_NCCL_DUMP_ON_TIMEOUT=1'));
  await until(() => !source.health()[0]?.detail.startsWith('starting'));
  await source.stop();
  assert.deepEqual(events, []);
});
