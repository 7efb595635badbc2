// Replaces a file in one step, so that a reader sees the old or the new text and never a part.

import { renameSync, writeFileSync } from 'node:fs';

export function writeAtomically(path: string, text: string): void {
  const next = `${path}.next`;
  writeFileSync(next, text);
  renameSync(next, path);
}
