// Makes a folder and what is missing above it; `mkdirSync(…, {recursive})` never returns for a path under /proc.

import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Mode counts for folders that are made; one that is there keeps its own. Throws what mkdir(2) says. */
export function makeFolder(path: string, mode = 0o750): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const made = error instanceof Error && 'code' in error && error.code === 'EEXIST' && statSync(path).isDirectory();
    if (!made) throw error; // somebody else may have made it meanwhile
  }
}
