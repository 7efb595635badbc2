// Lines that say why a job's steps stand still for a while: an evaluation or a checkpoint begins, goes on or is over.

import { Cursor } from '../cursor.ts';
import { readFinite } from './number.ts';

export type PauseReason = 'evaluation' | 'checkpoint';

export interface PauseLine {
  readonly why: PauseReason;
  /** The line tells a result: the pause is over, or will be in a moment. */
  readonly ends: boolean;
  /** The step after which it was, where the line says; else null. */
  readonly iteration: number | null;
}

/** What every phrase below has a part of: nearly all other lines are done with after one look. */
const HINT = /evaluat|valid|test loss|prediction|eval_runtime|checking|checkpoint|sav(?:ing|ed)|ready now/i;

/** What the frameworks write of an evaluation, in lower case; of a framework that prints no such line nothing is known. */
const EVALUATION: readonly (readonly [phrase: string, ends: boolean])[] = [
  // Megatron, Primus, Megatron-DeepSpeed: the results, and since 2022 a line before them.
  ['validation loss at iteration ', true],
  ['valid loss at iteration ', true],
  ['test loss at iteration ', true],
  ['evaluating on ', false],
  ['evaluating iter ', false],
  // Transformers' Trainer: a banner at info level, then a dictionary.
  ['***** running evaluation *****', false],
  ['***** running prediction *****', false],
  ["'eval_runtime': ", true],
  ['"eval_runtime": ', true],
  // Lightning's progress bar, and NeMo's lines in its place.
  ['sanity checking', false],
  ['validation dataloader ', false],
  ['validation: ', false],
  // torchtitan.
  ['validate step: ', true],
  // DeepSpeed-Chat.
  ['***** evaluating ', false],
];

/** The same of a checkpoint, beside the lines of `milestone.ts`. */
const CHECKPOINT: readonly (readonly [phrase: string, ends: boolean])[] = [
  ['saving model checkpoint to ', false],
  ['tokenizer config file saved in ', true],
  ['model weights saved in ', true],
  [' is about to be saved!', false],
  [' is ready now!', true],
  ['saving model to ', false],
  ['saving async checkpoint', false],
  ['saved async checkpoint', true],
  ['scheduled async checkpoint save for ', true],
  ['async checkpoint save for step ', true],
];

/** No such line is longer before its phrase ends. */
const MAX_HEAD = 512;
/** A progress bar that shows all of it is over. */
const WHOLE = '100%';

/** Null for every other line. Pure text: whether steps were slow for it is for others to see. */
export function parsePause(line: string): PauseLine | null {
  const start = line.slice(0, MAX_HEAD);
  if (!HINT.test(start)) return null;
  const head = start.toLowerCase();
  const evaluation = EVALUATION.find(([phrase]) => head.includes(phrase));
  if (evaluation !== undefined) {
    const [phrase, ends] = evaluation;
    const iteration = phrase.endsWith('step: ') ? stepAfter(head, phrase) : null;
    return { why: 'evaluation', ends: ends || head.includes(WHOLE) || isLast(head, phrase), iteration };
  }
  const checkpoint = CHECKPOINT.find(([phrase]) => head.includes(phrase));
  return checkpoint === undefined ? null : { why: 'checkpoint', ends: checkpoint[1], iteration: null };
}

function stepAfter(head: string, phrase: string): number | null {
  const cursor = new Cursor(head);
  return cursor.skipPast(phrase) ? cursor.spaces().integer(12) : null;
}

/** "Validation: iteration 10/10". */
function isLast(head: string, phrase: string): boolean {
  const cursor = new Cursor(head);
  if (!cursor.skipPast(phrase) || !(cursor.take('iteration ') || phrase.endsWith('iter '))) return false;
  const [at, of] = cursor.rest().split('/', 2);
  const done = readFinite(at);
  return done !== null && done === readFinite(of);
}
