// Input: one saved log as a stream of bytes, whatever packed it: gzip, xz, bzip2 and zstd are undone, UTF-16 is decoded, members of archives come one by one.

import { errorText } from '../../helpers/error-text.ts';
import { authorInside } from './author.ts';
import { isBugReport, sectionsOf } from './bug-report.ts';
import { type Bytes, peeked } from './bytes.ts';
import { decoded, markedAs, unreadEncoding } from './encoding.ts';
import type { ArchiveReport } from './member.ts';
import type { SavedInput } from './saved-input.ts';
import { tarMembers } from './tar.ts';
import { type Archive, bounded, packedAs, unpacked } from './unpack.ts';
import { zipMembers } from './zip.ts';

/** A member within a compressed file within an archive, and one more. */
const DEEPEST = 5;
const HEAD_BYTES = 512;
/** Of one archive. */
const MOST_MEMBERS = 250_000;
/** NULs and other bytes that no log has, of the first ones: more of them are a program, a picture, a database. */
const BINARY_SHARE = 0.1;

/** Why a binary file is left out. */
export const NOT_TEXT = 'it is a binary file, not text';

/** What is said of what could not be read, or is left out on purpose. */
export interface InputReport {
  /** Not to its end; what was read of it counts. */
  readonly failed: (name: string, why: string) => void;
  /** Links and devices of an archive: they are never made or followed. */
  readonly left: (name: string, links: number, devices: number) => void;
}

export async function* inputsIn(input: SavedInput, report: InputReport, depth = 0): AsyncGenerator<SavedInput> {
  const { head, bytes } = await peeked(input.bytes, HEAD_BYTES);
  const packing = depth < DEEPEST ? packedAs(head) : null;
  if (packing === 'tar' || packing === 'zip') {
    yield* membersOf({ ...input, bytes }, packing, report, depth);
    return;
  }
  if (packing !== null) {
    const name = input.name.replace(/\.(?:gz|xz|bz2|zst|zstd)$/, '');
    const plain = guarded(
      bounded(bytes, (packed) => unpacked(packed, packing)),
      (why) => report.failed(input.name, why),
    );
    yield* inputsIn({ ...input, name: name === '' ? input.name : name, bytes: plain }, report, depth + 1);
    return;
  }
  const encoding = markedAs(head);
  if (encoding !== null && encoding !== 'utf-32' && depth < DEEPEST) {
    yield* inputsIn({ ...input, bytes: decoded(bytes, encoding) }, report, depth + 1);
    return;
  }
  if (!isText(head)) {
    report.failed(input.name, unreadEncoding(head, input.name) ?? NOT_TEXT);
    return;
  }
  const text = { ...input, bytes: guarded(bytes, (why) => report.failed(input.name, why)) };
  if (isBugReport(head)) yield* sectionsOf(text);
  else yield text;
}

async function* membersOf(
  { name, author, bytes }: SavedInput,
  packing: Archive,
  report: InputReport,
  depth: number,
): AsyncGenerator<SavedInput> {
  const left = { link: 0, device: 0 };
  let members = 0;
  const archive: ArchiveReport = {
    failed: (why, member) => report.failed(member === undefined ? name : `${name}!${member}`, why),
    left: (what) => {
      left[what] += 1;
    },
  };
  for await (const member of (packing === 'tar' ? tarMembers : zipMembers)(bytes, archive)) {
    members += 1;
    if (members > MOST_MEMBERS) {
      report.failed(name, `it has more than ${MOST_MEMBERS} files: unpack it, and scan a part`);
      break;
    }
    yield* inputsIn({ ...member, name: `${name}!${member.name}`, author: authorInside(author) }, report, depth + 1);
  }
  if (left.link + left.device > 0) report.left(name, left.link, left.device);
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
  // What no UTF-8 has: of packed or random bytes most, of a log in Latin-1 a letter here and there.
  for (const sign of head.toString('utf8')) if (sign === '\ufffd') odd += 1;
  // A file that begins with a hole of zero bytes is a log whose writer kept its place.
  return odd <= BINARY_SHARE * head.length || head.every((byte) => byte === 0);
}
