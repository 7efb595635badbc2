// Zip: the files in the stream of an archive, one after the other; it is read from its start, so that it may come from a pipe or another archive.

import { crc32, createInflateRaw } from 'node:zlib';
import { errorText } from '../../helpers/error-text.ts';
import { ByteReader } from './byte-reader.ts';
import type { Bytes } from './bytes.ts';
import type { ArchiveReport, Member } from './member.ts';
import { bounded, through } from './unpack.ts';

/** APPNOTE 4.3.7: a file's own header, before its bytes. */
const FILE = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const HEADER_BYTES = 26;
const LONGEST_NAME = 8192;
const SIZES_IN_EXTRA = 0xffff_ffff;
const ENCRYPTED = 1;
/** Size and checksum come behind the bytes. */
const STREAMED = 8;
const STORED = 0;
const DEFLATED = 8;

interface Header {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly savedMs: number;
  readonly crc: number;
  /** As it is packed; null where that comes behind the bytes. */
  readonly size: number | null;
  readonly large: boolean;
}

export async function* zipMembers(bytes: Bytes, report: ArchiveReport): AsyncGenerator<Member> {
  const reader = new ByteReader(bytes);
  try {
    for (;;) {
      const signature = await reader.take(4);
      // Behind the last file comes the list of all, which says nothing more of their bytes.
      if (signature.length < 4 || signature.readUInt32LE() !== FILE) return;
      const header = await headerOf(reader);
      if (header === null) return report.failed('the archive is damaged');
      const { name, flags, method, size, savedMs } = header;
      const why =
        flags & ENCRYPTED
          ? 'it is encrypted'
          : method !== STORED && method !== DEFLATED
            ? `it is packed by method ${method} of zip: unpack it first`
            : null;
      if (why !== null || (size === null && method === STORED)) {
        report.failed(why ?? 'its size is not known: unpack it first', name);
        if (size === null) return;
        await reader.skip(size);
        continue;
      }
      const member = checked(plain(reader, header), header, reader, (wrong) => report.failed(wrong, name));
      if (!name.endsWith('/')) yield { name, savedMs, bytes: member };
      for await (const _ of member); // whatever was left of it
    }
  } finally {
    await bytes.return();
  }
}

async function headerOf(reader: ByteReader): Promise<Header | null> {
  const head = await reader.take(HEADER_BYTES);
  if (head.length < HEADER_BYTES) return null;
  const [nameLength, extraLength] = [head.readUInt16LE(22), head.readUInt16LE(24)];
  const name = await reader.take(nameLength);
  const extra = await reader.take(extraLength);
  if (extra.length < extraLength || nameLength > LONGEST_NAME) return null;
  const flags = head.readUInt16LE(2);
  const size = head.readUInt32LE(14);
  const large = size === SIZES_IN_EXTRA ? sizeIn(extra) : null;
  if (large !== null && !Number.isSafeInteger(large)) return null;
  return {
    name: name.toString('utf8'),
    flags,
    method: head.readUInt16LE(4),
    savedMs: savedAt(head.readUInt16LE(8), head.readUInt16LE(6)),
    crc: head.readUInt32LE(10),
    size: flags & STREAMED ? null : (large ?? size),
    large: large !== null,
  };
}

/** Zip64: the size as it is packed is the second number of the field 1. */
function sizeIn(extra: Buffer): number | null {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === 1 && at + 20 <= extra.length) return Number(extra.readBigUInt64LE(at + 12));
  }
  return null;
}

/** The clock of MS-DOS, which has no zone. */
function savedAt(date: number, time: number): number {
  return Date.UTC(1980 + (date >> 9), ((date >> 5) & 15) - 1, date & 31, time >> 11, (time >> 5) & 63, (time & 31) * 2);
}

async function* plain(reader: ByteReader, { method, size }: Header): Bytes {
  if (size === null) yield* untilItEnds(reader);
  else if (method === STORED) yield* reader.part(size);
  else yield* bounded(reader.part(size), (packed) => through(packed, createInflateRaw()));
}

/** Deflated bytes say themselves where they end: what was handed over beyond that is given back. */
async function* untilItEnds(reader: ByteReader): Bytes {
  const inflate = createInflateRaw();
  const given: Buffer[] = [];
  let first = 0;
  async function* handedOver(): Bytes {
    for (let piece = await reader.next(); piece !== null; piece = await reader.next()) {
      // Not only when something comes of it: deflated blocks may be empty, without end.
      for (let used = given[0]; used !== undefined && first + used.length <= inflate.bytesWritten; used = given[0]) {
        first += used.length;
        given.shift();
      }
      given.push(piece);
      yield piece;
    }
  }
  yield* bounded(handedOver(), (packed) => through(packed, inflate));
  reader.back(Buffer.concat(given).subarray(inflate.bytesWritten - first));
}

async function* checked(bytes: Bytes, header: Header, reader: ByteReader, wrong: (why: string) => void): Bytes {
  let crc = 0;
  try {
    for await (const piece of bytes) {
      crc = crc32(piece, crc);
      yield piece;
    }
  } catch (error) {
    wrong(errorText(error));
    return;
  }
  let expected = header.crc;
  if (header.size === null) {
    const first = await reader.take(4);
    const named = first.length === 4 && first.readUInt32LE() === DESCRIPTOR;
    const rest = await reader.take((named ? 12 : 8) + (header.large ? 8 : 0));
    expected = named ? (rest.length >= 4 ? rest.readUInt32LE() : 0) : first.length === 4 ? first.readUInt32LE() : 0;
  }
  if (crc !== expected) wrong('its checksum is wrong: what was read of it counts');
}
