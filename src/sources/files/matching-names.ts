// Matching names: those of a folder that a wildcard names. Native code lists, so that of the thousands of others in a /tmp nothing is made here.

import { opendir } from 'node:fs/promises';
import { getSystemErrorName } from 'node:util';
import { matchesWildcard } from '../../helpers/wildcard.ts';
import { native } from '../../native.ts';

/** More are not held at once: they come from the folder a piece at a time. */
const MOST_AT_ONCE = 4096;
/** Entries of a folder that come at once, each of which costs a few microseconds. */
const ENTRIES_READ = 256;

/**
 * Calls `take` with each, in no order, of the first `mostSeen` names of the folder. Rejects with an error that has the system's `code` where
 * the folder cannot be read.
 */
export async function eachMatchingName(
  folder: string,
  pattern: string,
  mostSeen: number,
  take: (name: string) => void,
  atOnce = MOST_AT_ONCE,
): Promise<void> {
  const few = await namesWith(folder, pattern.replace(/[*?].*$/s, ''), atOnce, mostSeen);
  if (few !== null) {
    for (const name of few) if (matchesWildcard(name, pattern)) take(name);
    return;
  }
  let seen = 0;
  for await (const { name } of await opendir(folder, { bufferSize: ENTRIES_READ })) {
    seen += 1;
    if (seen > mostSeen) return;
    if (matchesWildcard(name, pattern)) take(name);
  }
}

/** Null where more begin so than are held at once. */
function namesWith(folder: string, prefix: string, most: number, mostSeen: number): Promise<readonly string[] | null> {
  return new Promise((resolve, reject) => {
    native().namesWith(folder, prefix, most, mostSeen, (error, names) => {
      if (error === 0) resolve(names);
      else {
        const code = getSystemErrorName(-error);
        reject(Object.assign(new Error(`${code}: ${folder} cannot be listed`), { code }));
      }
    });
  });
}
