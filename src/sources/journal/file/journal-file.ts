// JournalFile: reads entries of one journal file in the order of its index, while journald writes on at its end.

import { zstdDecompressSync } from 'node:zlib';
import { remember } from '../../../helpers/remember.ts';
import { CheckedFile } from '../../files/checked-file.ts';
import {
  arrayItemAt,
  HEADER_BYTES,
  type JournalHeader,
  OBJECT_HEADER,
  offsetAt,
  PACKED,
  payloadAt,
  readArrayHead,
  readEntry,
  readHeader,
  TYPE,
  u64,
} from './layout.ts';
import { lz4Block } from './lz4.ts';

/** Neighbours in the file are written together: one read has most objects of the next entries. */
const WINDOW_BYTES = 65_536;
/** What an entry needs was mostly written right before it. */
const WINDOW_BEFORE = 32_768;
/** The index, the newest objects, and older ones that are shared. */
const MOST_WINDOWS = 4;
const MOST_OBJECT = 1024 * 1024;
const MOST_FIELD = 65_536;
/** Fields that most entries share: host, unit, boot. */
const CACHED_FIELDS = 2048;
const CACHED_BYTES = 256;

export interface JournalEntry {
  readonly seqnum: number;
  readonly wallMs: number;
  readonly bootId: string;
  /** The first value of each field. */
  readonly fields: ReadonlyMap<string, string>;
}

export class DamagedJournal extends Error {}

export class JournalFile {
  readonly #file: CheckedFile;
  /** As it was at the last `refresh`. */
  header: JournalHeader;
  readonly identity: string;
  /** The one that was read last is the first. */
  #windows: { readonly at: number; readonly bytes: Buffer }[] = [];
  readonly #fields = new Map<number, readonly [string, string] | null>();
  /** The array of the index that was read last, and the number of its first entry. */
  #array: { readonly at: number; readonly first: number; readonly next: number; readonly room: number } | null = null;
  /** Fields that could not be unpacked. */
  unreadable = 0;

  private constructor(file: CheckedFile, header: JournalHeader, identity: string) {
    this.#file = file;
    this.header = header;
    this.identity = identity;
  }

  /** Rejects as `CheckedFile.open` does, or with `DamagedJournal`. */
  static async open(path: string): Promise<JournalFile> {
    const file = await CheckedFile.open(path);
    try {
      const header = await headerOf(file, path);
      const { dev, ino } = await file.stat();
      return new JournalFile(file, header, `${dev}:${ino}`);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** How many entries there are now. */
  async refresh(): Promise<number> {
    this.#windows = [];
    this.header = await headerOf(this.#file, 'the journal');
    return this.header.entries;
  }

  /** The entry of this number, counted from 0; null where it is not whole yet. Rejects with `DamagedJournal`. */
  async entry(index: number): Promise<JournalEntry | null> {
    const offset = await this.#offsetOf(index);
    if (offset === 0) return null;
    const { compact } = this.header;
    const object = await this.#object(offset, TYPE.entry);
    const { seqnum, realtimeUs, bootId, items } = readEntry(object, compact);
    const fields = new Map<string, string>();
    for (const item of items) {
      const field = await this.#field(item);
      if (field !== null && !fields.has(field[0])) fields.set(field[0], field[1]);
    }
    return { seqnum, wallMs: realtimeUs / 1000, bootId, fields };
  }

  async close(): Promise<void> {
    await this.#file.close().catch(() => undefined);
  }

  async #offsetOf(index: number): Promise<number> {
    const { compact, firstArray } = this.header;
    let array = this.#array;
    if (array === null || array.first > index) array = await this.#arrayAt(firstArray, 0);
    while (array !== null && index >= array.first + array.room) {
      // Its successor may have been added since it was read.
      const fresh: NonNullable<typeof array> | null = await this.#arrayAt(array.at, array.first);
      array = fresh === null || fresh.next === 0 ? null : await this.#arrayAt(fresh.next, fresh.first + fresh.room);
    }
    if (array === null) return 0;
    this.#array = array;
    const at = array.at + arrayItemAt(index - array.first, compact);
    return offsetAt(await this.#bytes(at, compact ? 4 : 8), 0, compact);
  }

  async #arrayAt(at: number, first: number): Promise<{ at: number; first: number; next: number; room: number } | null> {
    if (at === 0) return null;
    const head = await this.#bytes(at, OBJECT_HEADER + 8);
    if (head[0] !== TYPE.entryArray) throw new DamagedJournal(`no index at byte ${at}`);
    const { next, room } = readArrayHead(head, u64(head, 8), this.header.compact);
    // Arrays come one behind the other; one that leads back, or holds nothing, would be followed without end.
    if (room < 1 || (next !== 0 && next <= at)) throw new DamagedJournal(`the index at byte ${at} is damaged`);
    return { at, first, next, room };
  }

  async #field(at: number): Promise<readonly [string, string] | null> {
    const known = this.#fields.get(at);
    if (known !== undefined) return known;
    const object = await this.#object(at, TYPE.data);
    const field = fieldOf(this.#payload(object));
    if (field === null || object.length <= CACHED_BYTES) remember(this.#fields, at, field, CACHED_FIELDS);
    return field;
  }

  #payload(object: Buffer): Buffer | null {
    const bytes = object.subarray(payloadAt(this.header.compact));
    const flags = object[1] ?? 0;
    const plain = unpacked(bytes, flags);
    if (plain === null) this.unreadable += 1;
    return plain;
  }

  async #object(at: number, type: number): Promise<Buffer> {
    const head = await this.#bytes(at, OBJECT_HEADER);
    const size = u64(head, 8);
    if (head[0] !== type || size < OBJECT_HEADER || size > MOST_OBJECT)
      throw new DamagedJournal(`no object of type ${type} at byte ${at}`);
    return this.#bytes(at, size);
  }

  async #bytes(at: number, length: number): Promise<Buffer> {
    const known = this.#windows.find((window) => at >= window.at && at + length <= window.at + window.bytes.length);
    if (known !== undefined) return known.bytes.subarray(at - known.at, at - known.at + length);
    const from = Math.max(0, at - WINDOW_BEFORE);
    const buffer = Buffer.alloc(Math.max(at + length - from, WINDOW_BYTES));
    const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, from);
    if (from + bytesRead < at + length)
      throw new DamagedJournal(`the file ends at byte ${from + bytesRead}, within an object`);
    this.#windows = [{ at: from, bytes: buffer.subarray(0, bytesRead) }, ...this.#windows.slice(0, MOST_WINDOWS - 1)];
    return buffer.subarray(at - from, at - from + length);
  }
}

async function headerOf(file: CheckedFile, path: string): Promise<JournalHeader> {
  const buffer = Buffer.alloc(HEADER_BYTES);
  const { bytesRead } = await file.read(buffer, 0, HEADER_BYTES, 0);
  const header = readHeader(buffer.subarray(0, bytesRead));
  if (typeof header === 'string') throw new DamagedJournal(`${path} ${header}`);
  return header;
}

function unpacked(bytes: Buffer, flags: number): Buffer | null {
  try {
    if ((flags & PACKED.zstd) !== 0) return zstdDecompressSync(bytes, { maxOutputLength: MOST_OBJECT });
    if ((flags & PACKED.lz4) !== 0) return lz4Block(bytes, MOST_OBJECT);
    return (flags & PACKED.xz) !== 0 ? null : bytes;
  } catch {
    return null; // damaged, or longer than a line may be
  }
}

/** "MESSAGE=text"; what is binary is shown as it is read. */
function fieldOf(payload: Buffer | null): readonly [string, string] | null {
  const equals = payload?.indexOf(0x3d) ?? -1;
  if (payload === null || equals < 1 || equals > 64) return null;
  const value = payload.subarray(equals + 1, equals + 1 + MOST_FIELD);
  return [payload.toString('latin1', 0, equals), value.toString('utf8')];
}
