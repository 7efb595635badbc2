// Jobs of schedulers that no source asks: control group and environment alone show manager, id, ranks and user.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostGpus } from '../../../src/identity/host-gpus.ts';
import { HostNics } from '../../../src/identity/host-nics.ts';
import { Works } from '../../../src/identity/work/works.ts';
import { NOWHERE, processFact } from './facts.ts';

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
