// Author: who could have written a saved log, as far as the file system shows it: what a user can write, a user can make up.

import type { Stats } from 'node:fs';
import { type Trust, trusted } from '../files/trusted.ts';

export type Author =
  /** Only services and root of this host. */
  | 'system'
  /** A user who is not the one that reads it. */
  | 'user'
  /** A copy, or what came through a pipe: no owner shows who wrote it. */
  | 'unknown';

/** Where services keep their logs: below these only root makes folders. */
const PLACES = /^\/(?:var\/(?:log|crash|lib\/systemd\/pstore)|run\/log|sys\/fs\/pstore)\//;
/** The kernel's number for owners that it cannot name here, as those of a share that maps root away. */
const OVERFLOW_UID = 65_534;

/** Of the file that was opened at the path. */
export async function authorOf(path: string, { uid, mode }: Stats, own = process.geteuid?.() ?? 0): Promise<Author> {
  const trust = await trusted(path, { serviceUsers: true });
  if (trust === null) return 'unknown';
  return authorBy(trust, { uid, mode }, own);
}

export function authorBy({ path, doubt, by }: Trust, { uid, mode }: Pick<Stats, 'uid' | 'mode'>, own: number): Author {
  if ((mode & 0o002) !== 0) return 'user';
  // Who reads it saved it: what it was before, its owner knows.
  if (uid === own && own !== 0) return 'unknown';
  const ofService = PLACES.test(path);
  if (doubt === null) return ofService ? 'system' : 'unknown';
  // A scheduler's daemon often has the number of a person.
  if (uid === OVERFLOW_UID || (ofService && by === 'owner')) return 'unknown';
  return 'user';
}

/** Of what lies in an archive: whoever packed it chose what. */
export function authorInside(author: Author | undefined): Author {
  return author === 'user' ? 'user' : 'unknown';
}
