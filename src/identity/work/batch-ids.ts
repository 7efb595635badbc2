// The id of a scheduler's job as its users write it, whichever of its spellings a control group or an environment has.

import type { BatchManager, ProcessFact } from './facts.ts';

const NAME = /^[^\s/\p{C}]{1,128}$/u;
/** Flux's base 58: no 0, I, O and l. */
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** Units have the plain form, f…; so has what ran without UTF-8. */
const FLUX_TEXT = new RegExp(`^[ƒf]([${BASE58}]{1,12})$`);

export function batchId(manager: BatchManager, id: string, variables: ProcessFact['variables']): string {
  if (manager === 'flux') return fluxId(id);
  return manager === 'lsf' ? lsfId(id, variables) : id;
}

/** As `flux jobs` prints it; elsewhere it is a number as well. */
function fluxId(id: string): string {
  const text = FLUX_TEXT.exec(id)?.[1];
  if (text !== undefined) return `ƒ${text}`;
  if (!/^[1-9]\d{0,19}$/.test(id)) return id;
  let digits = '';
  for (let rest = BigInt(id); rest > 0n; rest /= 58n) digits = `${BASE58[Number(rest % 58n)]}${digits}`;
  return `ƒ${digits}`;
}

/** All elements of an array have one number, and the index apart: 0 where there is no array. */
function lsfId(id: string, { LSB_JOBID: job, LSB_JOBINDEX: index }: ProcessFact['variables']): string {
  return id === job && index !== undefined && /^[1-9]\d{0,6}$/.test(index) ? `${id}[${index}]` : id;
}

const MAX_ANCESTORS = 64;
const MAX_LEVELS = 4;

/**
 * A job may be an instance of Flux (flux batch, flux alloc), whose jobs have ids of their own: two instances give the same ones. The id
 * with those of the jobs around it, outermost first, as far as the processes above it carry them: ƒ2dVD:ƒ7; null without an id.
 */
export function nestedFluxId(process: ProcessFact, processes: ReadonlyMap<number, ProcessFact>): string | null {
  const ids: string[] = [];
  let at: ProcessFact | undefined = process;
  for (let steps = 0; at !== undefined && steps < MAX_ANCESTORS && ids.length < MAX_LEVELS; steps += 1) {
    const id: string | undefined = at.variables.FLUX_JOB_ID;
    if (id !== undefined && NAME.test(id) && fluxId(id) !== ids[0]) ids.unshift(fluxId(id));
    const above: ProcessFact | undefined = processes.get(at.parent);
    // A parent is not younger; processes of another user say nothing of this one's job.
    at =
      above !== undefined && above.startTicks <= at.startTicks && above.owner[0] === process.owner[0]
        ? above
        : undefined;
  }
  return ids.length === 0 ? null : ids.join(':');
}
