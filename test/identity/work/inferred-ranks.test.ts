// Ranks that nothing says outright: launchers' command lines, the order of children, GPUs, dumps; and where none is inferred.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Facts, ProcessFact } from '../../../src/identity/work/facts.ts';
import { gpuFacts, NOWHERE, processFact, scheduledFact, slurm } from './facts.ts';
import { only, ranks, view } from './views.ts';

const ONE_NODE = { localRank: null, nodes: 1, nodeRank: 0, perNode: 2, titleRank: null };
const SILENT = { ...ONE_NODE, nodes: null, nodeRank: null, perNode: null };
const closed = (pid: number, given: Partial<ProcessFact> = {}) =>
  processFact(pid, { readable: false, parent: 50, ...given });
const agent = (said = ONE_NODE, given: Partial<ProcessFact> = {}) =>
  processFact(50, { readable: false, launcher: 'torchrun', said, ...given });
const held = (...pids: number[]) => gpuFacts(pids.length, Object.fromEntries(pids.map((pid, gpu) => [gpu, [pid]])));
const job = (facts: Partial<Facts>) => ranks(only(facts));

test('children of a torchrun on one node are its ranks, in the order in which they began', () => {
  const work = only({ processes: [agent(), closed(60), closed(61)], gpus: held(60, 61) });
  assert.deepEqual(ranks(work), [[0, 60], [1, 61]]); // biome-ignore format: one line
  assert.equal(work.worldSize, 2);
  assert.equal(work.ranks[1]?.knownBy, 'inferred: order of the children of its launcher and of their GPUs');
});

test('on the second of two nodes they count on from the first', () => {
  const work = only({ processes: [agent({ ...ONE_NODE, nodes: 2, nodeRank: 1 }), closed(60), closed(61)], gpus: held(60, 61) }); // biome-ignore format: one line
  assert.deepEqual(ranks(work), [[2, 60], [3, 61]]); // biome-ignore format: one line
  assert.match(work.ranks[0]?.knownBy ?? '', /, node 1 of 2$/);
});

test('a local rank that the launcher hands on goes before the order', () => {
  const said = (localRank: number) => ({ ...SILENT, localRank });
  const processes = [agent(), closed(60, { said: said(1) }), closed(61, { said: said(0) })];
  assert.deepEqual(job({ processes, gpus: held(60, 61) }), [[0, 61], [1, 60]]); // biome-ignore format: one line
  assert.equal(only({ processes, gpus: held(60, 61) }).ranks[0]?.knownBy, 'inferred: --local_rank of its command line');
});

test('workers that a server numbers in their titles', () => {
  const titled = (pid: number, titleRank: number) => closed(pid, { said: { ...SILENT, titleRank } });
  assert.deepEqual(job({ processes: [titled(60, 1), titled(61, 0)], gpus: held(60, 61) }), [[0, 61], [1, 60]]); // biome-ignore format: one line
  assert.deepEqual(job({ processes: [titled(60, 1), titled(61, 1)], gpus: held(60, 61) }), []);
});

const NONE: readonly (readonly [string, Partial<Facts>])[] = [
  ['one of them is gone', { processes: [agent(), closed(60)], gpus: held(60) }],
  ['which node this is, is not said', { processes: [agent({ ...ONE_NODE, nodes: 2, nodeRank: null as never }), closed(60), closed(61)], gpus: held(60, 61) }],
  ['their GPUs are in another order', { processes: [agent(), closed(60), closed(61)], gpus: held(61, 60) }],
  ['the launcher does not say how many, and no GPU is known', { processes: [agent({ ...ONE_NODE, perNode: null as never }), closed(60), closed(61)].map((each) => ({ ...each, place: slurm('991', '0') })) }],
  ['nothing started them that is a launcher', { processes: [closed(60), closed(61)], gpus: held(60, 61) }],
  ['two local ranks are the same', { processes: [agent(), ...[60, 61].map((pid) => closed(pid, { said: { ...SILENT, localRank: 0 } }))], gpus: held(60, 61) }],
]; // biome-ignore format: one row a reason
for (const [why, facts] of NONE)
  test(`no rank where ${why}`, () => assert.deepEqual(view(facts).works.flatMap(ranks), []));

test('what a process says of itself goes before all that', () => {
  const processes = [agent(), closed(60, { readable: true, variables: { RANK: '7', WORLD_SIZE: '8' } }), closed(61)];
  assert.deepEqual(job({ processes, gpus: held(60, 61) }), [[7, 60]]);
});

test('under a torchrun the task of the scheduler is the node, and no rank', () => {
  const place = slurm('991', '0', 1);
  const processes = [agent({ ...ONE_NODE, nodes: 2, nodeRank: null as never }, { place }), closed(60, { place }), closed(61, { place })]; // biome-ignore format: one line
  const scheduled = [scheduledFact('991', { worldSize: 2, taskGroupsAreGlobal: true })];
  const { works, conflicts } = view({ processes, scheduled, gpus: held(60, 61) });
  assert.deepEqual([works.flatMap(ranks), conflicts], [[], []]);
});

const dumps = (given: Partial<Facts['dumped'][number]> = {}) => [
  { user: 1000, job: 'tmp', ranks: [8, 9], world: 16, atMs: 5000, knownBy: 'dumps of its flight recorder', ...given },
];
const two = [60, 61].map((pid) => closed(pid, { startedMs: 1000, place: { ...NOWHERE, container: 'c'.repeat(64) } }));

test('dumps name the ranks of processes that hold one GPU each', () => {
  const work = only({ processes: two, gpus: held(61, 60), dumped: dumps() });
  assert.deepEqual(ranks(work), [[8, 61], [9, 60]]); // biome-ignore format: one line
  assert.equal(work.ranks[0]?.knownBy, 'inferred: dumps of its flight recorder, in the order of the GPUs');
  assert.equal(work.worldSize, 16);
});

const UNFIT: readonly (readonly [string, Partial<Facts['dumped'][number]>])[] = [
  ['another user', { user: 2000 }],
  ['a time before they began', { atMs: 900 }],
  ['more ranks than are here', { ranks: [8, 9, 10] }],
  ['a gap', { ranks: [8, 10] }],
  ['a place where no node begins', { ranks: [7, 8] }],
];
for (const [why, given] of UNFIT)
  test(`dumps of ${why} say nothing`, () =>
    assert.deepEqual(job({ processes: two, gpus: held(60, 61), dumped: dumps(given) }), []));

test('of two jobs of a user the folder of the dumps says which', () => {
  const other = closed(70, { place: { ...NOWHERE, container: 'd'.repeat(64) } });
  const facts = { processes: [...two, other], gpus: held(60, 61, 70) };
  assert.deepEqual(view({ ...facts, dumped: dumps() }).works.flatMap(ranks), []);
  assert.deepEqual(view({ ...facts, dumped: dumps({ job: 'cccccccccccc' }) }).works.flatMap(ranks), [[8, 60], [9, 61]]); // biome-ignore format: one line
});
