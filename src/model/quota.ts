// Quota: what a user or project may fill of a file system; the file system itself may have room, so df shows nothing of it.

import type { Attributes } from './event.ts';

/** EDQUOT of the C library (errno.h), as Python, Rust, Java and shells print it. */
const REACHED = /disk quota exceeded|quota (?:limit )?exceeded|\berrno[ :=]{1,3}122\b/i;

/** Whether such words, of a line or of an event, are of a quota. */
export function saysQuota(text: string): boolean {
  return REACHED.test(text);
}

/** Whether what an event says of a full disk is that a quota is. */
export function isQuota({ message }: Attributes): boolean {
  return typeof message === 'string' && saysQuota(message);
}

/** What would confirm it. */
export const QUOTA_CONFIRMED_BY = 'quota -s of that user on this host (Lustre: lfs quota; GPFS: mmlsquota)';
