// Token digest: what is kept of a token, so that the token itself is in no memory dump, log or printed configuration.

import { createHash, timingSafeEqual } from 'node:crypto';

export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Takes as long whether the first or the last character differs. */
export function isToken(given: string, digest: string | null): boolean {
  if (digest === null) return false;
  return timingSafeEqual(Buffer.from(digestOf(given), 'hex'), Buffer.from(digest, 'hex'));
}
