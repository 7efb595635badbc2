// Jobs of schedulers that no source asks: control group and environment alone show manager, id, ranks and user.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostGpus } from '../../../src/identity/host-gpus.ts';
import { HostNics } from '../../../src/identity/host-nics.ts';
import { assemble } from '../../../src/identity/work/assemble.ts';
import { Works } from '../../../src/identity/work/works.ts';
import { factsOf, NOWHERE, processFact } from './facts.ts';

const JOBS = [
  { manager: 'pbs', id: '123.server', variable: 'PBS_JOBID', rank: 'PMI_RANK' },
  { manager: 'lsf', id: '4711', variable: 'LSB_JOBID', rank: 'OMPI_COMM_WORLD_RANK' },
  { manager: 'flux', id: 'ƒ2dVDgrLNb', variable: 'FLUX_JOB_ID', rank: 'RANK' },
] as const;

for (const { manager, id, variable, rank } of JOBS) {
  test(`${manager}: by its control group`, () => {
    const all = new Works(new HostGpus(), new HostNics());
    const place = { ...NOWHERE, batch: { manager, job: id, sluid: null, step: null, task: null } };
    for (const number of [0, 1])
      all.processes.set(processFact(10 + number, { place, owner: [1001], variables: { [rank]: `${number}` } }));
    const [work, ...others] = all.view().works;
    assert.deepEqual([work?.manager, work?.id, others.length], [manager, id, 0]);
    assert.deepEqual(
      work?.ranks.map((each) => [each.rank, each.pid]),
      [
        [0, 10],
        [1, 11],
      ],
    );
  });

  test(`${manager}: by the environment of its ranks, where no control group names it`, () => {
    const all = new Works(new HostGpus(), new HostNics());
    all.processes.set(processFact(10, { owner: [1001], variables: { [variable]: id, [rank]: '0' } }));
    const [work] = all.view().works;
    assert.deepEqual([work?.manager, work?.id, work?.ranks.length], [manager, id, 1]);
  });
}

test('jobs of an instance of Flux that is a job itself are not those of another with the same id', () => {
  const flux = (pid: number, parent: number, variables: Record<string, string>) =>
    processFact(pid, { parent, variables });
  const inner = (rank: number) => ({ FLUX_JOB_ID: 'ƒ7', FLUX_TASK_RANK: String(rank), FLUX_JOB_SIZE: '1' });
  const processes = [
    // Two instances by flux batch, each a broker, the shell that it starts, and a rank of its first job.
    flux(10, 1, { FLUX_JOB_ID: 'ƒ2dVD', FLUX_TASK_RANK: '0' }),
    flux(11, 10, {}),
    flux(12, 11, inner(0)),
    flux(20, 1, { FLUX_JOB_ID: 'ƒ9xYz', FLUX_TASK_RANK: '0' }),
    flux(21, 20, {}),
    flux(22, 21, inner(0)),
  ];
  const { works, conflicts } = assemble(factsOf({ processes }));
  assert.deepEqual(works.map(({ id, ranks }) => [id, ranks.map(({ pid }) => pid)]), [
    ['ƒ2dVD', [10]],
    ['ƒ2dVD:ƒ7', [12]],
    ['ƒ9xYz', [20]],
    ['ƒ9xYz:ƒ7', [22]],
  ]); // biome-ignore format: one row a job
  assert.deepEqual(conflicts, []);
  // With units the kernel has all of an instance in the group of the job that the instance is.
  const grouped = processes.map((each) => ({ ...each, place: inGroup('flux', each.pid < 20 ? 'f2dVD' : 'f9xYz') }));
  const seen = assemble(factsOf({ processes: grouped }));
  assert.deepEqual(seen.works.map(({ id }) => id), ['ƒ2dVD', 'ƒ2dVD:ƒ7', 'ƒ9xYz', 'ƒ9xYz:ƒ7']); // biome-ignore format: one line
  assert.deepEqual(seen.conflicts, []);
});

const inGroup = (manager: 'lsf' | 'flux', job: string) => ({
  ...NOWHERE,
  batch: { manager, job, sluid: null, step: null, task: null },
});

test('Flux: the plain form of a unit, the form of users and the number are one job', () => {
  const all = new Works(new HostGpus(), new HostNics());
  all.processes.set(
    processFact(10, { place: inGroup('flux', 'fTKuuBXJyV'), variables: { FLUX_JOB_ID: 'ƒTKuuBXJyV', RANK: '0' } }),
  );
  all.processes.set(processFact(11, { variables: { FLUX_JOB_ID: '3371397661327360', RANK: '1' } }));
  const { works, conflicts } = all.view();
  assert.deepEqual([works.map(({ id, ranks }) => [id, ranks.length]), conflicts], [[['ƒTKuuBXJyV', 2]], []]);
});

test('Flux: what has another form stays as it is', () => {
  for (const id of ['0', 'ƒ0', 'f', 'job-1', '99999999999999999999999']) {
    const all = new Works(new HostGpus(), new HostNics());
    all.processes.set(processFact(10, { variables: { FLUX_JOB_ID: id, RANK: '0' } }));
    assert.equal(all.view().works[0]?.id, id);
  }
});

for (const [what, job] of [
  ['without control groups', null],
  ['in groups that have the number alone', '4711'],
] as const)
  test(`LSF, ${what}: each element of an array is a job of its own, and a job without one has its number`, () => {
    const all = new Works(new HostGpus(), new HostNics());
    for (const [pid, index] of [
      [10, '1'],
      [11, '2'],
      [12, '0'],
    ] as const) {
      const variables = { LSB_JOBID: index === '0' ? '4712' : '4711', LSB_JOBINDEX: index, RANK: '0' };
      const place = job === null ? NOWHERE : inGroup('lsf', variables.LSB_JOBID);
      all.processes.set(processFact(pid, { place, variables }));
    }
    const { works, conflicts } = all.view();
    assert.deepEqual([works.map(({ id }) => id), conflicts], [['4711[1]', '4711[2]', '4712'], []]);
  });
