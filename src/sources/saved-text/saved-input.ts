// SavedInput: one saved log as a stream of bytes, and what is known of it besides them.

import type { Author } from './author.ts';
import type { Bytes } from './bytes.ts';

export interface SavedInput {
  /** As it is called in what is reported: a path, with that of a member behind an exclamation mark. */
  readonly name: string;
  /** When it was written last, epoch ms. */
  readonly savedMs: number;
  /** To be read to its end, or given up, before the next input is asked for. */
  readonly bytes: Bytes;
  /** Who could have written it; left out: not known. */
  readonly author?: Author;
  /** The host that wrote it, where the file says so at its head. */
  readonly host?: string;
  /** Epoch ms of the boot that its stamps count from, where that is known. */
  readonly bootedMs?: () => number | null;
}
