// What is assembled of facts, as the tests of the assembly ask for it.

import assert from 'node:assert/strict';
import { assemble } from '../../../src/identity/work/assemble.ts';
import type { Facts, ProcessFact } from '../../../src/identity/work/facts.ts';
import type { Work } from '../../../src/identity/work/work.ts';
import { factsOf, NOWHERE, processFact, slurm } from './facts.ts';

export const view = (given: Partial<Facts>) => assemble(factsOf(given));
export const only = (given: Partial<Facts>): Work => {
  const { works } = view(given);
  assert.equal(works.length, 1, works.map(({ id }) => id).join());
  return works[0] as Work;
};
export const ranks = ({ ranks: all }: Work) => all.map(({ rank, pid }) => [rank, pid]);
export const inPod = (uid: string, container: string | null = null) => ({
  ...NOWHERE,
  pod: uid,
  container,
  runtime: 'containerd',
});

/** A task of step 0 of a Slurm job, as srun starts it. */
export const task = (pid: number, rank: number, more: Record<string, string> = {}, given: Partial<ProcessFact> = {}) =>
  processFact(pid, {
    parent: 90,
    place: slurm('991', '0', rank),
    variables: { SLURM_JOB_ID: '991', SLURM_STEP_ID: '0', SLURM_PROCID: `${rank}`, SLURM_NTASKS: '4', ...more },
    ...given,
  });
