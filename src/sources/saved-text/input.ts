// Input: one saved log as a stream of bytes, whatever packed it: gzip, xz, bzip2 and zstd are undone, members of archives come one by one.

import { errorText } from '../../helpers/error-text.ts';
import { tarMembers } from './archive.ts';
import { type Bytes, peeked } from './bytes.ts';
import { packedAs, unpacked } from './unpack.ts';

export interface SavedInput {
  /** As it is called in what is reported: a path, with that of a member behind an exclamation mark. */
  readonly name: string;
  /** When it was written last, epoch ms. */
  readonly savedMs: number;
  /** To be read to its end, or given up, before the next input is asked for. */
  readonly bytes: Bytes;
}

/** A member within a compressed file within an archive, and one more. */
const DEEPEST = 5;
const HEAD_BYTES = 512;
/** NULs and other bytes that no log has, of the first ones: more of them are a program, a picture, a database. */
const BINARY_SHARE = 0.1;

/** `failed` is called with what could not be read to its end; what was read of it counts. */
export async function* inputsIn(
  input: SavedInput,
  failed: (name: string, why: string) => void,
  depth = 0,
): AsyncGenerator<SavedInput> {
  const { head, bytes } = await peeked(input.bytes, HEAD_BYTES);
  const packing = depth < DEEPEST ? packedAs(head) : null;
  if (packing === 'tar') {
    for await (const { name, savedMs, bytes: member } of tarMembers(bytes, (why) => failed(input.name, why)))
      yield* inputsIn({ name: `${input.name}!${name}`, savedMs, bytes: member }, failed, depth + 1);
    return;
  }
  if (packing !== null) {
    const name = input.name.replace(/\.(?:gz|xz|bz2|zst|zstd)$/, '');
    const plain = guarded(unpacked(bytes, packing), (why) => failed(input.name, why));
    yield* inputsIn({ ...input, name: name === '' ? input.name : name, bytes: plain }, failed, depth + 1);
    return;
  }
  if (!isText(head)) {
    failed(input.name, 'it is not text');
    return;
  }
  yield { ...input, bytes: guarded(bytes, (why) => failed(input.name, why)) };
}

async function* guarded(bytes: Bytes, failed: (why: string) => void): Bytes {
  try {
    yield* bytes;
  } catch (error) {
    failed(errorText(error));
  }
}

function isText(head: Buffer): boolean {
  let odd = 0;
  for (const byte of head) if (byte < 9 || (byte > 13 && byte < 27)) odd += 1;
  // A file that begins with a hole of zero bytes is a log whose writer kept its place.
  return odd <= BINARY_SHARE * head.length || head.every((byte) => byte === 0);
}
