// The id of a scheduler's job as its users write it, whichever of its spellings a control group or an environment has.

import type { BatchManager, ProcessFact } from './facts.ts';

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
