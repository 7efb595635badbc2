// Containers without Kubernetes: alone, in a scheduler's allocation by their control groups, and by what they say of themselves.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupPlace } from '../../../src/identity/work/group-place.ts';
import { labelsOf } from '../../../src/sinks/work/work-labels.ts';
import { gpuFacts, processFact, scheduledFact } from './facts.ts';
import { only, ranks, view } from './views.ts';

const ID = 'c'.repeat(64);
const RANK = { RANK: '0', WORLD_SIZE: '1' };
const IN_JOB = { SLURM_JOB_ID: '991', ...RANK };
const at = (path: string) => groupPlace(`0::${path}\n`);
const JOB = scheduledFact('991', { user: 'ada', userId: 1000, gpus: [0, 1] });
const hpcJob = (work: ReturnType<typeof only>) => labelsOf(work, null).hpcJob;

// biome-ignore format: one row a runtime
const ALONE: readonly (readonly [runtime: string, path: string])[] = [
  ['docker', `/system.slice/docker-${ID}.scope`],
  ['docker', `/docker/${ID}`],
  ['podman', `/machine.slice/libpod-${ID}.scope/container`],
  ['podman', `/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-${ID}.scope`],
  ['nerdctl', `/system.slice/nerdctl-${ID}.scope`],
];
for (const [runtime, path] of ALONE)
  test(`${runtime} alone, ${path.slice(0, 24)}`, () => {
    const work = only({ processes: [processFact(10, { place: at(path), variables: RANK })] });
    // The id of a container is not a label: there are as many as starts.
    assert.deepEqual([work.id, work.manager, hpcJob(work), ranks(work)], [ID.slice(0, 12), runtime, null, [[0, 10]]]);
  });

// biome-ignore format: one row a way
const INSIDE: readonly (readonly [what: string, path: string])[] = [
  ['enroot and apptainer, which stay in the group of the task', '/system.slice/slurmstepd.scope/job_991/step_0/user/task_0'],
  ['podman without a manager of units, below the task', `/system.slice/slurmstepd.scope/job_991/step_0/user/task_0/libpod-${ID}`],
  ['version 1', '/slurm/uid_1000/job_991/step_0/task_0'],
];
for (const [what, path] of INSIDE)
  test(`${what}: the job of Slurm, also with a clean environment and file systems of its own`, () => {
    const closed = processFact(10, { place: at(path), root: '/proc/10/root', variables: RANK });
    const work = only({ processes: [closed], scheduled: [JOB] });
    assert.deepEqual([work.id, work.manager, work.user, hpcJob(work)], ['991', 'slurm', 'ada', '991']);
  });

const outside = at(`/system.slice/docker-${ID}.scope`);

test('a container of the job’s user that names the job is of the job, with all that is in it', () => {
  const processes = [
    processFact(10, { place: outside, variables: IN_JOB }),
    processFact(11, { place: outside, parent: 10 }),
  ];
  const work = only({ processes, scheduled: [JOB], gpus: gpuFacts(2, { 0: [11] }) });
  assert.deepEqual([work.id, hpcJob(work), ranks(work)], ['991', '991', [[0, 10]]]);
});

test('one of root that names the job, on the GPUs of the job, is of the job', () => {
  const processes = [processFact(10, { owner: [0], place: outside, variables: IN_JOB })];
  const facts = { processes, scheduled: [JOB], gpus: gpuFacts(4, { 1: [10] }) };
  assert.deepEqual([only(facts).id, ranks(only(facts)), view(facts).conflicts], ['991', [[0, 10]], []]);
});

// biome-ignore format: one row a reason
const NOT: readonly (readonly [why: string, user: number, gpus: Readonly<Record<number, readonly number[]>>])[] = [
  ['on a GPU that is not the job’s', 0, { 1: [10], 2: [10] }],
  ['on no GPU', 0, {}],
  ['of another user', 2000, { 1: [10] }],
];
for (const [why, user, users] of NOT)
  test(`one ${why} is not, whatever it says`, () => {
    const processes = [processFact(10, { owner: [user], place: outside, variables: IN_JOB })];
    const { works } = view({ processes, scheduled: [JOB], gpus: gpuFacts(4, users) });
    assert.deepEqual(works.map(({ id }) => id).sort(), ['991', ID.slice(0, 12)]);
  });

test('a container that names two jobs is of neither', () => {
  const other = scheduledFact('992', { userId: 1000 });
  const says = (pid: number, job: string) =>
    processFact(pid, { place: outside, variables: { RANK: String(pid), SLURM_JOB_ID: job } });
  const { works } = view({ processes: [says(10, '991'), says(11, '992')], scheduled: [JOB, other] });
  for (const { ranks: all } of works) assert.ok(all.length <= 1);
});

test('apptainer outside of any allocation is what its launcher is', () => {
  const place = at('/user.slice/user-1000.slice/session-2.scope');
  const work = only({ processes: [processFact(10, { place, variables: RANK, root: '/proc/10/root', parent: 7 })] });
  assert.equal(work.manager, 'process');
  assert.equal(hpcJob(work), null);
});
