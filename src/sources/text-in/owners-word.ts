// Owner's word: whether a sender may speak for a job that runs here.

import { readFileSync } from 'node:fs';
import { type Sender, speaksFor } from '../sender.ts';
import { usersOf } from '../users.ts';

/** `user`: whose the job is; null where that is not known. */
export function isOwnersWord(sender: Sender, user: string | null, shippers: readonly string[]): boolean {
  return speaksFor(sender, user, names(), shippers);
}

const AGAIN_MS = 60_000;
let known = { names: new Map<number, string>(), atMs: Number.NEGATIVE_INFINITY };

/** Read seldom: every line that names a job asks. */
function names(): ReadonlyMap<number, string> {
  const nowMs = performance.now();
  if (nowMs - known.atMs < AGAIN_MS) return known.names;
  let text = '';
  try {
    text = readFileSync('/etc/passwd', 'utf8');
  } catch {} // then users are their numbers
  known = { names: usersOf(text), atMs: nowMs };
  return known.names;
}
