// Doubts: all that speaks against one cause of one effect of the work, and what is left of the cause for it.

import { KINDS, type Kind, kindInfo } from '../../../model/kind.ts';
import type { Facts } from '../../window/facts.ts';
import type { CauseRow } from '../cause-graph.ts';
import { isExplaining } from '../kind-roles.ts';
import type { Doubt, Doubting } from './doubt.ts';
import { otherProcess } from './other-process.ts';
import { overBefore } from './over-before.ts';
import { ownError } from './own-error.ts';
import { tooSmall } from './too-small.ts';
import { waitedBefore } from './waited-before.ts';
import { workContinued } from './work-continued.ts';

const ALL: readonly Doubting[] = [ownError, otherProcess, waitedBefore, workContinued, overBefore, tooSmall];
const NONE: readonly Doubt[] = [];

/** Kinds of effects that say something of the work: of all others nothing is known that would speak against a cause. */
const ofWork = new Uint8Array(KINDS.length);
/** A job's own events and what is planned stop a job whatever it did before. */
const ofOthers = new Uint8Array(KINDS.length);
for (const kind of KINDS) {
  const { index } = kindInfo(kind);
  if (isWork(kind)) ofWork[index] = 1;
  if (!kind.startsWith('job.') && !isExplaining(kind)) ofOthers[index] = 1;
}

function isWork(kind: Kind): boolean {
  return (kind.startsWith('job.') && !kind.startsWith('job.checkpoint')) || /^(?:service|net)\./.test(kind);
}

/** Strongest first. */
export function doubtsOf(cause: Facts, effect: Facts, row: CauseRow): readonly Doubt[] {
  if (ofWork[effect.kindIndex] === 0 || ofOthers[cause.kindIndex] === 0) return NONE;
  let found: Doubt[] | null = null;
  for (const doubting of ALL) {
    const doubt = doubting(cause, effect, row);
    if (doubt === null) continue;
    found ??= [];
    found.push(doubt);
  }
  return found === null ? NONE : found.sort((a, b) => a.factor - b.factor);
}

/** What is left of the cause's weight, 0 to 1. */
export function fitOf(doubts: readonly Doubt[]): number {
  let fit = 1;
  for (const { factor } of doubts) fit *= factor;
  return fit;
}
