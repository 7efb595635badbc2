// Small text files that a configuration or an option names: read whole, bounded, never a device or a FIFO.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

const LIMIT = 256 * 1024;

/** Null where there is no regular file, it may not be read, or it is too long. */
export function readTextFile(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(file);
    return stat.isFile() && stat.size <= LIMIT ? readFileSync(file, 'utf8') : null;
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}
