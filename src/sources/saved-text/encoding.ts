// Encoding: text of Windows and of BMCs in UTF-16 as UTF-8, by its mark; what other encodings would need is said.

import { ownProgram } from '../../helpers/own-program.ts';
import { shellWord } from '../../helpers/shell-word.ts';
import type { Bytes } from './bytes.ts';

const MARKS: readonly (readonly [encoding: Encoding, mark: Buffer])[] = [
  ['utf-32', Buffer.from([0xff, 0xfe, 0, 0])],
  ['utf-32', Buffer.from([0, 0, 0xfe, 0xff])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
];
/** Of the bytes of one side of UTF-16 without a mark those that are zero, and of the other. */
const ZERO = 0.9;
const NOT_ZERO = 0.1;
const LEAST_BYTES = 16;

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32';

/** What the mark at the beginning says; null where there is none. */
export function markedAs(head: Buffer): Encoding | null {
  return MARKS.find(([, mark]) => head.subarray(0, mark.length).equals(mark))?.[0] ?? null;
}

/** Without its mark, in UTF-8. */
export async function* decoded(bytes: Bytes, encoding: Exclude<Encoding, 'utf-32'>): Bytes {
  const decoder = new TextDecoder(encoding);
  for await (const piece of bytes) yield Buffer.from(decoder.decode(piece, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** Why text in another encoding is not read, with the line that makes it readable; null where it is none that is known. */
export function unreadEncoding(head: Buffer, name: string): string | null {
  const encoding = markedAs(head) === 'utf-32' ? 'UTF-32' : unmarked(head);
  if (encoding === null) return null;
  const file = name === 'stdin' || name.includes('!') ? 'FILE' : shellWord(name);
  return `it is text in ${encoding}${encoding === 'UTF-32' ? '' : ' without its mark'}. Scan it by: iconv -f ${encoding} -t UTF-8 ${file} | ${ownProgram()} scan -`;
}

/** Letters of a log are ASCII: every other byte is zero. */
function unmarked(head: Buffer): string | null {
  if (head.length < LEAST_BYTES) return null;
  const share = (from: number): number => {
    let zero = 0;
    for (let at = from; at < head.length; at += 2) if (head[at] === 0) zero += 1;
    return zero / (head.length / 2);
  };
  const [even, odd] = [share(0), share(1)];
  if (odd > ZERO && even < NOT_ZERO) return 'UTF-16LE';
  return even > ZERO && odd < NOT_ZERO ? 'UTF-16BE' : null;
}
