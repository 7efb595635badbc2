// Lines of a training log that mark a point rather than a step: training begins, a checkpoint begins or is saved.

import { Cursor } from '../cursor.ts';
import { readFinite } from './number.ts';

export interface Milestone {
  readonly what: 'started' | 'saving' | 'saved';
  /** Null where the line does not say. */
  readonly iteration: number | null;
  readonly path: string | null;
  readonly durationMs: number | null;
}

const MAX_PATH = 512;

/** Null for every other line. Megatron, Primus and torchtitan wordings. */
export function parseMilestone(line: string): Milestone | null {
  const none = { iteration: null, path: null, durationMs: null };
  const cursor = new Cursor(line);
  if (line.trimEnd().endsWith('training ...')) return { what: 'started', ...none };
  if (cursor.skipPast('Training starts at step ')) return { what: 'started', ...none, iteration: cursor.integer(12) };
  if (cursor.skipPast('successfully saved checkpoint ')) return { what: 'saved', ...place(cursor) };
  if (cursor.skipPast('saving checkpoint at ')) return { what: 'saving', ...place(cursor) };
  if (cursor.skipPast('Finished saving the checkpoint')) return { what: 'saved', ...none, durationMs: seconds(cursor) };
  if (cursor.skipPast('Saving the checkpoint')) return { what: 'saving', ...none };
  return null;
}

/** "iteration     100 to /ckpt in torch_dist format", "from iteration 100 to /ckpt, took 5321 ms". */
function place(cursor: Cursor): Omit<Milestone, 'what'> {
  const iteration = cursor.skipPast('iteration') ? cursor.spaces().integer(12) : null;
  const tail = cursor.spaces().take('to ') ? cursor.rest().slice(0, MAX_PATH) : '';
  const path = tail.trimStart().split(/[\s,]/, 1)[0] ?? '';
  const took = cursor.skipPast('took ') ? readFinite(cursor.rest()) : null;
  const unit = cursor.skipPast(' ms') ? 1 : 1000;
  return { iteration, path: path === '' ? null : path, durationMs: took === null ? null : took * unit };
}

/** " (or staging) in 12.34 seconds." */
function seconds(cursor: Cursor): number | null {
  const found = cursor.skipPast('in ') ? readFinite(cursor.rest()) : null;
  return found === null ? null : found * 1000;
}
