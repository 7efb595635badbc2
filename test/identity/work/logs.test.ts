// The files that a job's output goes to: the nearest of each process, each once, by whose rights.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logsOf } from '../../../src/identity/work/logs.ts';
import type { WrittenFile } from '../../../src/native.ts';
import { podFact, processFact, scheduledFact } from './facts.ts';

const written = (path: string, by: WrittenFile['by'], output: boolean, inode = 7): WrittenFile => ({ path, inode, by, output }); // biome-ignore format: one line
const none = { scheduled: null, pods: [], processes: [] };

test('a process prints into a file, through a reader, or as what started it: the nearest counts', () => {
  const checkpoint = written('/data/step-100.pt', 'itself', false);
  const own = written('/logs/rank0.log', 'itself', true);
  const tee = written('/logs/tee.log', 'pipe', false);
  const starter = written('/logs/agent.log', 'ancestor', true);
  const paths = (...writes: WrittenFile[]) =>
    logsOf({ ...none, processes: [processFact(10, { writes })] }).map(({ path }) => path);
  assert.deepEqual(paths(checkpoint, own, tee, starter), ['/logs/rank0.log']);
  assert.deepEqual(paths(checkpoint, tee, starter), ['/logs/tee.log']);
  assert.deepEqual(paths(checkpoint, starter), ['/logs/agent.log']);
  assert.deepEqual(paths(checkpoint, { ...own, path: '/logs/rank0.log (deleted)' }), []);
  assert.deepEqual(paths(written('/logs/other.log', 'group', true)), []);
});

test('eight ranks with one file have one log, in containers as well', () => {
  const writes = [written('/logs/all.log', 'itself', true)];
  const processes = [11, 12, 13].map((pid) => processFact(pid, { writes, root: `/proc/${pid}/root` }));
  assert.deepEqual(logsOf({ ...none, processes }), [
    { path: '/proc/11/root/logs/all.log', namedBy: [1000], knownBy: 'a process of the job prints into it' },
  ]);
});

test("a scheduler's file is read by the rights of the job's user, a pod's by the kubelet's", () => {
  const scheduled = scheduledFact('991', {
    logs: ['/home/ann/slurm-991.out'],
    userId: 1001,
    knownBy: 'scontrol show job',
  });
  const container = {
    name: 'trainer',
    id: null,
    variables: {},
    devices: [],
    log: '/var/log/pods/ml_a_1/trainer/0.log',
  };
  const pods = [podFact('a', { containers: [container] })];
  assert.deepEqual(
    logsOf({ scheduled, pods, processes: [] }).map(({ path, namedBy }) => [path, namedBy]),
    [
      ['/home/ann/slurm-991.out', [1001]],
      ['/var/log/pods/ml_a_1/trainer/0.log', [0]],
    ],
  );
  const unknown = logsOf({ ...none, scheduled: { ...scheduled, userId: null } });
  assert.deepEqual(unknown.map(({ namedBy }) => namedBy), [null]); // biome-ignore format: one call
});
