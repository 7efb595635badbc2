// Read in pieces: takes the list with which a large file begins a piece at a time, so that neither its text nor all of its records are
// in memory at once, where collecting them costs as much as reading them.

import { closeSync, openSync, readSync } from 'node:fs';

const PIECE_BYTES = 256 * 1024;
/** A record is far below. */
const MOST_PIECE_BYTES = 16 * PIECE_BYTES;
/** Ends of objects that are tried as the end of a record; inside one are those of its attributes. */
const MOST_TRIED = 6;
const BRACE = '}'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const SPACE = '[ \\t\\n\\r]*';
const SPACES: ReadonlySet<number | undefined> = new Set(Buffer.from(' \t\n\r'));

type Raw = Readonly<Record<string, unknown>>;

/**
 * Gives `take` the records of the list `key`, with which the object of the file begins, in order.
 * @returns the object with what `take` has not had: the last records under `key`, and all that is behind the list. Null where the file is
 * not of this form, or not JSON: it is to be read whole then, and what `take` had is not to be used.
 */
export function readInPieces(path: string, key: string, take: (records: readonly unknown[]) => void): Raw | null {
  const file = openSync(path, 'r');
  try {
    return fromPieces(file, key, take);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  } finally {
    closeSync(file);
  }
}

function fromPieces(file: number, key: string, take: (records: readonly unknown[]) => void): Raw | null {
  let held = Buffer.allocUnsafe(PIECE_BYTES);
  let length = readSync(file, held, 0, held.length, null);
  const head = new RegExp(`^${SPACE}\\{${SPACE}"${key}"${SPACE}:${SPACE}\\[`).exec(
    held.toString('latin1', 0, Math.min(length, 4096)),
  );
  if (head === null) return null;
  let begin = head[0].length;
  for (let isEnd = false; !isEnd; ) {
    const found = recordsOf(held, begin, length);
    if (found !== null) {
      take(found.records);
      begin = found.next;
    } else if (length === held.length && length - begin > MOST_PIECE_BYTES) break;
    // What is left goes to the front; room is made where that is most of it.
    const left = length - begin;
    const next = left > held.length / 2 ? Buffer.allocUnsafe(2 * held.length) : held;
    held.copy(next, 0, begin, length);
    held = next;
    begin = 0;
    const read = readSync(file, held, left, held.length - left, null);
    length = left + read;
    isEnd = read === 0;
  }
  const rest = Buffer.concat([held.subarray(begin, length), ...allOf(file)]).toString();
  // The last one of a name counts, which then may not be this one.
  return rest.includes(`"${key}"`) ? null : (JSON.parse(`{"${key}":[${rest}`) as Raw);
}

/** The whole records from `begin` on, and where the one after them begins; null where the piece has no end of one that is followed by another. */
function recordsOf(piece: Buffer, begin: number, end: number): { records: readonly unknown[]; next: number } | null {
  let brace = end;
  for (let tried = 0; tried < MOST_TRIED; tried += 1) {
    brace = piece.subarray(begin, brace).lastIndexOf(BRACE) + begin;
    if (brace < begin) return null;
    let next = brace + 1;
    while (next < end && SPACES.has(piece[next])) next += 1;
    if (next >= end || piece[next] !== COMMA) continue;
    try {
      // What begins where a record begins, and is a list of JSON, is the records that come next.
      return { records: JSON.parse(`[${piece.toString('utf8', begin, brace + 1)}]`) as unknown[], next: next + 1 };
    } catch {
      // The end of an object inside a record, a brace in a text, or the end of the list lies before it.
    }
  }
  return null;
}

/** What is left of a file, in pieces. */
function* allOf(file: number): Generator<Buffer> {
  for (;;) {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    const read = readSync(file, piece, 0, piece.length, null);
    if (read === 0) return;
    yield piece.subarray(0, read);
  }
}
