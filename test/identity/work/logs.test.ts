// The files that a job's output goes to: the nearest of each process, each once, by whose rights.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logsOf } from '../../../src/identity/work/logs.ts';
import type { WrittenFile } from '../../../src/native.ts';
import { NOWHERE, podFact, processFact, scheduledFact } from './facts.ts';

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
  const [{ writer, ...log } = assert.fail('no log'), ...others] = logsOf({ ...none, processes });
  assert.deepEqual(log, { path: '/proc/11/root/logs/all.log', namedBy: [1000], knownBy: 'a process of the job prints into it' }); // biome-ignore format: one line
  assert.equal(writer?.pid, 11);
  assert.deepEqual(others, []);
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

const own = (pid: number, path: string, inode: number, given = {}) =>
  processFact(pid, { writes: [written(path, 'itself', true, inode)], ...given });
const rankOfLogs = (processes: readonly ReturnType<typeof processFact>[], ranks: readonly (readonly [number, number])[]) =>
  logsOf({ scheduled: null, pods: [], processes }, ranks.map(([pid, rank]) => ({ pid, rank }))).map(({ path, rank }) => [path, rank]); // biome-ignore format: one call

test('a file that one rank prints into, and what it starts, is the log of that rank', () => {
  const processes = [own(10, '/r0', 1), own(11, '/r1', 2), own(12, '/r1', 2, { parent: 11 })];
  assert.deepEqual(rankOfLogs(processes, [[10, 0], [11, 1]]), [['/r0', 0], ['/r1', 1]]); // biome-ignore format: one line
});

test('a file that two ranks, or others as well, print into belongs to none of them', () => {
  assert.deepEqual(rankOfLogs([own(10, '/all', 1), own(11, '/all', 1)], [[10, 0], [11, 1]]), [['/all', undefined]]); // biome-ignore format: one line
  assert.deepEqual(rankOfLogs([own(10, '/all', 1), own(20, '/all', 1)], [[10, 0]]), [['/all', undefined]]);
});

test('where the files of another rank are not known, none is said to write alone', () => {
  assert.deepEqual(rankOfLogs([own(10, '/r0', 1), processFact(11)], [[10, 0], [11, 1]]), [['/r0', undefined]]); // biome-ignore format: one line
});

test('the log of a container with one rank is that rank’s', () => {
  const place = (container: string) => ({ ...NOWHERE, pod: 'uid-a', container });
  const container = (id: string) => ({ name: id, id, variables: {}, devices: [], log: `/var/log/pods/${id}/0.log` });
  const pods = [podFact('a', { containers: [container('c1'), container('c2')] })];
  const processes = [processFact(10, { place: place('c1') }), processFact(11, { place: place('c2') }), processFact(12, { place: place('c2') })]; // biome-ignore format: one line
  const logs = logsOf({ scheduled: null, pods, processes }, [10, 11, 12].map((pid) => ({ pid, rank: pid - 10 }))); // biome-ignore format: one line
  assert.deepEqual(logs.map(({ rank }) => rank), [0, undefined]); // biome-ignore format: one line
});
