// The code of a system error (ENOENT, ECONNREFUSED), as most failures of files and sockets have one.

import { errorText } from './error-text.ts';

/** Null where the error has none. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** For messages: the code, which is short and known, or the text of an error without one. */
export function codeOrText(error: unknown): string {
  return errorCode(error) ?? errorText(error);
}
