// Replaces what is in a file that readers keep open, as the kernel does in sysfs: the file itself stays.

import { closeSync, constants, ftruncateSync, openSync, writeSync } from 'node:fs';

/**
 * `text` is one line with its newline. It is written over the old one before the rest is cut off, so that a reader who
 * stops at the first newline never sees a part or nothing.
 */
export function writeInPlace(path: string, text: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    ftruncateSync(file, writeSync(file, text, 0));
  } finally {
    closeSync(file);
  }
}
