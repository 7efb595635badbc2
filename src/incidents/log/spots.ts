// Spots: single lines of the log, read from where they stood a moment ago.

import type { FileHandle } from 'node:fs/promises';
import { openForReading } from './files.ts';
import type { LogPlace } from './read-log.ts';

/** A line by its place, with its length, where that is what was seen before. */
export interface Spot extends LogPlace {
  readonly length: number;
}

/** Lines that are so near to one another are read at once, with what is between them; bytes. */
const NEAR_BYTES = 65_536;
const MOST_AT_ONCE = 512 * 1024;
/** Files that stay open. */
const MOST_OPEN = 8;

/**
 * For a caller that reads some lines many times: the files stay open, and the bytes lie in one block, until it is disposed of. A block
 * for each time would be garbage that nothing but a full collection gives back.
 */
export class SpotReader {
  readonly #block = Buffer.allocUnsafe(MOST_AT_ONCE);
  readonly #open = new Map<string, FileHandle>();

  /**
   * Calls `onLine` for each of these lines, in the order in which they stand in their files; null where a file could not be read to
   * there. The bytes are only good until it returns. Files may have been renamed since: whoever asks looks whether the lines are those
   * that were meant.
   */
  async read<T extends Spot>(spots: readonly T[], onLine: (line: Buffer | null, spot: T) => void): Promise<void> {
    for (const [path, here] of Map.groupBy(spots, ({ path }) => path)) {
      const inOrder = here.toSorted((a, b) => a.offset - b.offset);
      // What cannot be read any more is null; a mistake of the reader's own is not hidden by that.
      const handle = await this.#handleOf(path).catch(() => null);
      if (handle !== null) await readHere(handle, inOrder, onLine, this.#block);
      else for (const spot of inOrder) onLine(null, spot);
    }
  }

  async #handleOf(path: string): Promise<FileHandle> {
    const known = this.#open.get(path);
    if (known !== undefined) return known;
    if (this.#open.size >= MOST_OPEN) await this[Symbol.asyncDispose]();
    const handle = await openForReading(path);
    this.#open.set(path, handle);
    return handle;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(all.map((handle) => handle.close()));
  }
}

async function readHere<T extends Spot>(
  handle: FileHandle,
  spots: readonly T[],
  onLine: (line: Buffer | null, spot: T) => void,
  own: Buffer,
): Promise<void> {
  let block = own;
  for (let at = 0; at < spots.length; ) {
    const from = spots[at]?.offset ?? 0;
    let end = from;
    let next = at;
    for (; next < spots.length; next += 1) {
      const { offset = 0, length = 0 } = spots[next] ?? {};
      if (next > at && (offset - end > NEAR_BYTES || offset + length - from > MOST_AT_ONCE)) break;
      end = Math.max(end, offset + length);
    }
    if (end - from > block.length) block = Buffer.allocUnsafe(end - from);
    const { bytesRead } = await handle.read(block, 0, end - from, from).catch(() => ({ bytesRead: 0 }));
    for (const spot of spots.slice(at, next)) {
      const begin = spot.offset - from;
      onLine(begin + spot.length <= bytesRead ? block.subarray(begin, begin + spot.length) : null, spot);
    }
    at = next;
  }
}
