// Member: a file within an archive, and what an archive says of the rest.

import type { Bytes } from './bytes.ts';

export interface Member {
  readonly name: string;
  readonly savedMs: number;
  readonly bytes: Bytes;
}

export interface ArchiveReport {
  /** It, or the member of this name, could not be read to its end. */
  readonly failed: (why: string, member?: string) => void;
  /** What is not a file is passed over. */
  readonly left: (what: 'link' | 'device') => void;
}
