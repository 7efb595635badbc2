// Lines of a training log that mark a point rather than a step: training begins, a checkpoint begins or is saved.

import { Cursor } from '../cursor.ts';
import { entriesOf, type MilestoneWords } from './framework.ts';
import { readFinite } from './number.ts';

export interface Milestone {
  readonly what: 'started' | 'saving' | 'saved';
  /** Null where the line does not say. */
  readonly iteration: number | null;
  readonly path: string | null;
  readonly durationMs: number | null;
}

const MAX_PATH = 512;
const NOTHING = { iteration: null, path: null, durationMs: null };

const WORDS = entriesOf('milestones');

/** Null for every other line. */
export function parseMilestone(line: string): Milestone | null {
  const end = line.trimEnd();
  for (const words of WORDS) {
    if (words.line_ends !== undefined && end.endsWith(words.line_ends)) return { what: words.what, ...NOTHING };
    if (words.words === undefined || !line.includes(words.words)) continue;
    const cursor = new Cursor(line);
    cursor.skipPast(words.words);
    return { what: words.what, ...rest(words, cursor) };
  }
  return null;
}

function rest({ then }: MilestoneWords, cursor: Cursor): Omit<Milestone, 'what'> {
  if (then === 'place') return place(cursor);
  if (then === 'path') return { ...NOTHING, path: pathIn(cursor.rest()) };
  if (then === 'iteration') return { ...NOTHING, iteration: cursor.integer(12) };
  return then === 'seconds' ? { ...NOTHING, durationMs: seconds(cursor) } : NOTHING;
}

/** "iteration     100 to /ckpt in torch_dist format", "from iteration 100 to /ckpt, took 5321 ms". */
function place(cursor: Cursor): Omit<Milestone, 'what'> {
  const iteration = cursor.skipPast('iteration') ? cursor.spaces().integer(12) : null;
  const tail = cursor.spaces().take('to ') ? cursor.rest().slice(0, MAX_PATH) : '';
  const took = cursor.skipPast('took ') ? readFinite(cursor.rest()) : null;
  const unit = cursor.skipPast(' ms') ? 1 : 1000;
  return { iteration, path: pathIn(tail), durationMs: took === null ? null : took * unit };
}

function pathIn(text: string): string | null {
  const path = text.slice(0, MAX_PATH).trimStart().split(/[\s,]/, 1)[0] ?? '';
  return path === '' ? null : path;
}

/** " (or staging) in 12.34 seconds." */
function seconds(cursor: Cursor): number | null {
  const found = cursor.skipPast('in ') ? readFinite(cursor.rest()) : null;
  return found === null ? null : found * 1000;
}
