// Stop file: the switch by which an operator stops all acting at once, with or without a daemon that answers.

import { existsSync, lstatSync } from 'node:fs';
import { errorCode } from '../../helpers/error-code.ts';

/** Anything that lies there stops it; what cannot be looked at stops it too. */
export function isStopped(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ENOENT' || existsSync(path);
  }
}
