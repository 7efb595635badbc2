// Processes that say the same as their brothers and sisters: two of them are enough to know the jobs, whoever comes and goes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HostGpus } from '../../../src/identity/host-gpus.ts';
import { HostNics } from '../../../src/identity/host-nics.ts';
import { AlikeProcesses } from '../../../src/identity/work/alike-processes.ts';
import { assemble } from '../../../src/identity/work/assemble.ts';
import type { ProcessFact } from '../../../src/identity/work/facts.ts';
import { processKey, Works } from '../../../src/identity/work/works.ts';
import { runs } from '../../runs.ts';
import { factsOf, gpuFacts, gpuId, NOWHERE, processFact, scheduledFact, slurm } from './facts.ts';

const NOTHING_NAMED = { gpus: { users: new Map() }, scheduled: [], named: [], reported: [] };

/** A rank of a launcher or of a shell, with workers that have its variables, and their shells. */
const family = fc.record({
  parent: fc.constantFrom(1, 2, 3),
  place: fc.constantFrom(NOWHERE, slurm('991'), slurm('992', '0', 1), { ...NOWHERE, pod: 'uid-1', container: 'c1' }),
  user: fc.constantFrom(1000, 2000),
  variables: fc.constantFrom<Record<string, string>>(
    { RANK: '0', WORLD_SIZE: '2', LOCAL_RANK: '0' },
    { RANK: '1', WORLD_SIZE: '2', LOCAL_RANK: '1' },
    { SLURM_JOB_ID: '991', SLURM_PROCID: '1', SLURM_STEP_ID: '0' },
    { SLURM_JOB_ID: '992' },
    {},
  ),
  launcher: fc.constantFrom(null, null, null, 'torchrun'),
  root: fc.boolean(),
  writes: fc.boolean(),
  workers: fc.nat(6),
  grandchildren: fc.nat(4),
  clears: fc.boolean(),
});
type Family = typeof family extends fc.Arbitrary<infer T> ? T : never;

function processesOf(families: readonly Family[]): ProcessFact[] {
  const said = { localRank: null, nodes: 1, nodeRank: 0, perNode: null, titleRank: null };
  const all = [processFact(2, { launcher: 'torchrun', said, startedMs: 2000 }), processFact(3, { startedMs: 3000 })];
  const add = (given: Partial<ProcessFact>): number => {
    const pid = 10 + all.length;
    const root = given.root === undefined ? {} : { root: `/proc/${pid}/root` };
    all.push(processFact(pid, { ...given, startedMs: pid * 1000, ...root }));
    return pid;
  };
  for (const each of families) {
    const { user, place, variables } = each;
    const writes = each.writes ? [{ path: '/log', inode: 7, by: 'itself' as const, output: true }] : [];
    const common = { owner: [user] as const, place, variables, writes, ...(each.root ? { root: '' } : {}) };
    const top = add({ ...common, parent: each.parent, launcher: each.launcher, role: 'train.py' });
    const workers = Array.from({ length: each.workers }, () => add({ ...common, parent: top, role: 'train.py' }));
    for (let n = 0; n < each.grandchildren; n += 1)
      add({
        ...common,
        variables: each.clears ? {} : variables,
        parent: workers[n % workers.length] ?? top,
        role: 'sh',
      });
  }
  return all;
}

test('the jobs, ranks and devices of those that decide are those of all of them', () => {
  const given = fc.record({
    families: fc.array(family, { minLength: 1, maxLength: 5 }),
    holders: fc.array(fc.tuple(fc.nat(3), fc.nat(60)), { maxLength: 4 }),
    tasks: fc.array(fc.nat(60), { maxLength: 2 }),
    reported: fc.array(fc.nat(60), { maxLength: 1 }),
    left: fc.array(fc.nat(60), { maxLength: 10 }),
  });
  let fewer = 0;
  fc.assert(
    fc.property(given, ({ families, holders, tasks, reported, left }) => {
      const all = processesOf(families);
      const pidOf = (n: number) => all[n % all.length]?.pid ?? 0;
      const gpus = new HostGpus();
      for (const [n, component] of gpuFacts(4).gpus.entries()) gpus.found(component, 'H100', n);
      for (const [gpu, pids] of Map.groupBy(holders, ([each]) => each))
        gpus.usedBy(
          gpuId(gpu),
          [...new Set(pids.map(([, n]) => pidOf(n)))].sort((a, b) => a - b),
        );
      const works = new Works(gpus, new HostNics(), () => 0);
      const listed = [...new Set(tasks.map(pidOf))].map((pid, rank) => ({ pid, step: '0', rank, localRank: rank }));
      works.scheduled.set(scheduledFact('991', { userId: 1000, tasks: listed }));
      for (const n of reported) works.reported.set({ pid: pidOf(n), job: '991', rank: 1, knownBy: 'a line' });
      for (const each of all) works.processes.set(each);
      works.fresh();
      const gone = new Set(left.map(pidOf));
      for (const each of all) if (gone.has(each.pid)) works.processes.drop(processKey(each));
      const view = works.fresh();
      const there = all.filter(({ pid }) => !gone.has(pid));
      const facts = factsOf({
        processes: there,
        scheduled: works.scheduled.values(),
        reported: works.reported.values(),
        gpus: gpus.facts(),
        nics: new HostNics().facts(),
      });
      const whole = assemble(facts);
      assert.deepEqual(view.works, whole.works);
      assert.deepEqual(view.devices, whole.devices);
      // Of those that say the same, the conflict of one is that of all.
      const kinds = (conflicts: typeof view.conflicts) =>
        new Set(conflicts.map(({ reason }) => reason.replaceAll(/\d+( and \d+)+/g, 'several')));
      assert.deepEqual(kinds(view.conflicts), kinds(whole.conflicts));
      const alike = new AlikeProcesses();
      for (const each of there) alike.changed(undefined, each);
      if (alike.deciding(facts).length < there.length) fewer += 1;
    }),
    { numRuns: runs(200, 20_000), seed: 17 },
  );
  assert.ok(fewer > 50, `${fewer} had processes that do not decide`);
});

test('of thousands that say the same a handful decides, and one that comes or goes changes no view', () => {
  const works = new Works(new HostGpus(), new HostNics(), () => 0);
  const worker = (pid: number) => processFact(pid, { parent: 10, place: slurm('991'), variables: { RANK: '0', WORLD_SIZE: '1' } }); // biome-ignore format: one line
  works.processes.set({ ...worker(10), parent: 1 });
  for (let pid = 11; pid < 5011; pid += 1) works.processes.set(worker(pid));
  const view = works.fresh();
  assert.deepEqual(
    view.works.map(({ id, ranks }) => [id, ranks.map(({ rank, pid }) => [rank, pid])]),
    [['991', [[0, 10]]]],
  );
  works.processes.set(worker(6000));
  works.processes.drop(processKey(worker(300)));
  assert.equal(works.fresh(), view);
  works.processes.drop(processKey({ pid: 10, startTicks: 10 }));
  assert.deepEqual(
    works.fresh().works[0]?.ranks.map(({ pid }) => pid),
    [null],
  );
});

test('one that a device, a task or a line names decides, with what started it, and those of a launcher’s children that count', () => {
  const alike = new AlikeProcesses();
  const add = (pid: number, given: Partial<ProcessFact>) => alike.changed(undefined, processFact(pid, given));
  const pids = (naming: object = {}) => alike.deciding({ ...NOTHING_NAMED, ...naming }).map(({ pid }) => pid);
  for (const pid of [20, 21, 22, 23]) add(pid, { parent: 5, role: 'sh' });
  for (const pid of [32, 31, 30]) add(pid, { parent: 23, role: 'python' });
  assert.deepEqual(pids(), [20, 21, 23, 30, 31]);
  assert.deepEqual(pids({ gpus: { users: new Map([['gpu', [22]]]) } }), [20, 21, 22, 23, 30, 31]);
  assert.deepEqual(pids({ reported: [{ pid: 32, job: 'a', rank: 0, knownBy: 'a line' }] }), [20, 21, 23, 30, 31, 32]);
  add(5, { launcher: 'torchrun', said: { localRank: null, nodes: 1, nodeRank: 0, perNode: 4, titleRank: null } });
  assert.deepEqual(pids(), [5, 20, 21, 22, 23, 30, 31]);
});
