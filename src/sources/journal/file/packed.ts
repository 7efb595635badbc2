// Packed: the first bytes of a field that journald packed, and no more of it than is wanted.

import { constants, createZstdDecompress } from 'node:zlib';
import { PACKED } from './layout.ts';
import { lz4Block } from './lz4.ts';

/** journald packs a field by itself, in a window as large as the field: who wants more wants memory. */
const WINDOW_LOG = 23;
/** Enough to tell a field's name by. */
const STEP_BYTES = 16_384;
/** What is packed as LZ4 says how long it is. */
const MOST_LZ4 = 768 * 1024 * 1024;

/**
 * Null where it is damaged, or packed in a way that is not known. `more`: asked once, with how it begins; false ends it there.
 */
export async function unpackedHead(
  bytes: Buffer,
  flags: number,
  most: number,
  more: (head: Buffer) => boolean,
): Promise<Buffer | null> {
  if ((flags & PACKED.zstd) !== 0) return zstdHead(bytes, most, more);
  if ((flags & PACKED.lz4) === 0) return null;
  const head = lz4Block(bytes, MOST_LZ4, Math.min(most, 128));
  return head === null || !more(head) ? head : lz4Block(bytes, MOST_LZ4, most);
}

/** As a stream: where it is to end early nothing more is unpacked. */
function zstdHead(bytes: Buffer, most: number, more: (head: Buffer) => boolean): Promise<Buffer | null> {
  const params = { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG };
  const unpack = createZstdDecompress({ chunkSize: STEP_BYTES, params });
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let length = 0;
    const end = (failed: boolean) => {
      unpack.destroy();
      resolve(failed ? null : Buffer.concat(parts).subarray(0, most));
    };
    unpack.on('data', (piece: Buffer) => {
      parts.push(piece);
      length += piece.length;
      if (length >= most || (parts.length === 1 && !more(piece))) end(false);
    });
    unpack.once('error', () => end(true));
    unpack.once('end', () => end(false));
    unpack.end(bytes);
  });
}
