// Lines that say why a job's steps pause for a while: an evaluation, a checkpoint, its load or a compilation begins, continues or is over.

import { Cursor } from '../cursor.ts';
import { entriesOf, type Framework } from './framework.ts';
import type { Milestone } from './milestone.ts';
import { readFinite } from './number.ts';

/** `load`: a checkpoint is read back; `compile`: a graph of the model is compiled. */
export type PauseReason = 'evaluation' | 'checkpoint' | 'load' | 'compile';

export interface PauseLine {
  readonly why: PauseReason;
  /** The line reports a result: the pause is over, or will be in a moment. */
  readonly ends: boolean;
  /** The step after which it was, as the framework counts, where the line says; else null. */
  readonly after: { readonly framework: Framework; readonly iteration: number } | null;
}

/** What the frameworks write, in lower case; of a framework that prints no such line nothing is known. */
const WORDS = entriesOf('pauses');
const EVALUATION = WORDS.filter(({ why }) => why === 'evaluation');
const OTHERS = WORDS.filter(({ why }) => why !== 'evaluation');

/** Nearly all other lines are done with after one look. */
const HINT = new RegExp(WORDS.map(({ words }) => words.replace(/[^\w\s]/g, '\\$&')).join('|'), 'i');

/** No such line is longer before its phrase ends. */
const MAX_HEAD = 512;
/** What is before the phrase where it reports a failure: "Failed saving model checkpoint to …". */
const FAILED = /\b(?:failed(?: to)?|error(?: while)?|could not|unable to|exception while) {0,2}$/;
/** A progress bar that shows all of it is over. */
const WHOLE = '100%';

/** Null for every other line. Pure text: whether steps were slow for it is for others to see. */
export function parsePause(line: string): PauseLine | null {
  const start = line.slice(0, MAX_HEAD);
  if (!HINT.test(start)) return null;
  const head = start.toLowerCase();
  const evaluation = EVALUATION.find(({ words }) => head.includes(words));
  if (evaluation !== undefined) {
    const { words: phrase, ends } = evaluation;
    return { why: 'evaluation', ends: ends || head.includes(WHOLE) || isLast(head, phrase), after: stepAfter(head, evaluation) }; // biome-ignore format: one line
  }
  const other = OTHERS.find(({ words }) => head.includes(words));
  if (other === undefined || FAILED.test(head.slice(0, head.indexOf(other.words)))) return null;
  return { why: other.why, ends: other.ends, after: null };
}

function stepAfter(head: string, { words, then, framework }: (typeof WORDS)[number]): PauseLine['after'] {
  const cursor = new Cursor(head);
  const iteration = then === 'iteration' && cursor.skipPast(words) ? cursor.spaces().integer(12) : null;
  return iteration === null ? null : { framework, iteration };
}

/** "Validation: iteration 10/10", "Evaluating iter 10/10". */
function isLast(head: string, phrase: string): boolean {
  const cursor = new Cursor(head);
  if (!cursor.skipPast(phrase)) return false;
  cursor.take('iteration ');
  const [at, of] = cursor.rest().split('/', 2);
  const done = readFinite(at);
  return done !== null && done === readFinite(of);
}

/** Of a line that says a milestone of the job, or none. */
export function pauseOf(milestone: Milestone | null, text: string): PauseLine | null {
  if (milestone === null) return parsePause(text);
  if (milestone.what === 'started') return null;
  return { why: 'checkpoint', ends: milestone.what === 'saved', after: null };
}
