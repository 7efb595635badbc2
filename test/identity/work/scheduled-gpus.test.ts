// GPUs of ranks by what the scheduler gave their job: counted out where it does not say, none where it gave none.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assemble } from '../../../src/identity/work/assemble.ts';
import { factsOf, gpuFacts, gpuId, processFact, scheduledFact, slurm } from './facts.ts';

/** GPUs of the two ranks of a job, by rank; `users`: the driver's list. */
function gpusOfRanks(gpus: readonly number[] | null, variables = {}, users: Record<number, number[]> = {}) {
  const processes = [0, 1].map((rank) =>
    processFact(10 + rank, {
      place: slurm('991', '0', rank),
      variables: { SLURM_JOB_ID: '991', SLURM_PROCID: `${rank}`, SLURM_LOCALID: `${rank}`, ...variables },
    }),
  );
  const facts = factsOf({ processes, scheduled: [scheduledFact('991', { gpus })], gpus: gpuFacts(2, users) });
  return assemble(facts).works.flatMap(({ ranks }) => ranks.map((rank) => rank.gpus));
}

test('where the scheduler does not say, ranks have the GPUs of the host in their order', () => {
  assert.deepEqual(gpusOfRanks(null), [[gpuId(0)], [gpuId(1)]]);
});

test('a job that was given none has none, but those that it names or that the driver has it on', () => {
  assert.deepEqual(gpusOfRanks([]), [[], []]);
  assert.deepEqual(gpusOfRanks([], { CUDA_VISIBLE_DEVICES: '0,1' }), [[gpuId(0)], [gpuId(1)]]);
  assert.deepEqual(gpusOfRanks([], {}, { 1: [10] }), [[gpuId(1)], []]);
});
