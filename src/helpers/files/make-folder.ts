// Makes a folder and what is missing above it; `mkdirSync(…, {recursive})` never returns for a path under /proc.

import { mkdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../error-code.ts';

/** Mode counts for folders that are made; one that is there keeps its own. Throws what mkdir(2) says. */
export function makeFolder(path: string, mode = 0o750): void {
  for (const missing of missingFolders(path).toReversed()) {
    try {
      mkdirSync(missing, { mode });
    } catch (error) {
      const made = errorCode(error) === 'EEXIST' && statSync(missing).isDirectory();
      if (!made) throw error; // another process may have made it meanwhile
    }
  }
}

/** What `makeFolder` would make, the deepest first. */
export function missingFolders(path: string): string[] {
  const missing: string[] = [];
  for (let at = path; !mayBeThere(at); at = dirname(at)) {
    missing.push(at);
    if (dirname(at) === at) break;
  }
  return missing;
}

/** Also where this user may not look: whoever wants to write there gets to hear it. */
function mayBeThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (error) {
    if (errorCode(error) === 'EACCES') return true;
    throw error;
  }
}

/** Removes those that are there and hold nothing, for a start that failed and leaves nothing behind. */
export function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {} // another process has put something there
  }
}
