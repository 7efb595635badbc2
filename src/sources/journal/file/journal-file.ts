// JournalFile: reads entries of one journal file in the order of its index, while journald writes on at its end.

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
import { unpackedHead } from './packed.ts';
import { MOST_FIELD, MOST_NAME, wantedField, wantedName } from './wanted-fields.ts';

/** Neighbours in the file are written together: one read has most objects of the next entries. */
const WINDOW_BYTES = 65_536;
/** What an entry needs was mostly written right before it. */
const WINDOW_BEFORE = 32_768;
/** The index, the newest objects, and older ones that are shared. */
const MOST_WINDOWS = 4;
/** Of an entry: as many fields as one can have. */
const MOST_ENTRY = 64 * 1024;
/** What is read of a packed field, to unpack as much as is wanted of it: a block of zstd has 128 KiB. */
const MOST_PACKED = 256 * 1024;
const ANY_PACKED = PACKED.xz | PACKED.lz4 | PACKED.zstd;
/** Fields that most entries share: host, unit, boot. */
const CACHED_FIELDS = 1024;
const CACHED_BYTES = 256;
/** Of ids of 32: rows of one host are few. */
const ROW_DIGITS = 12;

type Field = readonly [name: string, value: string];

export interface JournalEntry {
  readonly seqnum: number;
  /** Of the file's row of numbers and the boot: without it the number is that of some other entry as well. */
  readonly row: string;
  readonly wallMs: number;
  readonly bootId: string;
  /** What reading it took, in bytes. */
  readonly cost: number;
  /** The first value of each field that is wanted. */
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
  readonly #fields = new Map<number, Field | null>();
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
    const object = await this.#bytes(offset, await this.#sizeOf(offset, TYPE.entry, MOST_ENTRY));
    const { seqnum, realtimeUs, bootId, items } = readEntry(object, compact);
    const fields = new Map<string, string>();
    let cost = object.length;
    for (const item of items) {
      const field = await this.#field(item, fields);
      if (field === null || fields.has(field[0])) continue;
      fields.set(field[0], field[1]);
      cost += field[1].length;
    }
    const row = `${this.header.seqnumId.slice(0, ROW_DIGITS)}.${bootId.slice(0, ROW_DIGITS)}`;
    return { seqnum, row, wallMs: realtimeUs / 1000, bootId, cost, fields };
  }

  /** Nothing is read for a while: what is kept of its bytes may go. */
  rest(): void {
    this.#windows = [];
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

  /** Null of one that is not wanted. `had`: of those by these names the value is not read again. */
  async #field(at: number, had: ReadonlyMap<string, string>): Promise<Field | null> {
    const known = this.#fields.get(at);
    if (known !== undefined) return known;
    const size = await this.#sizeOf(at, TYPE.data, Number.MAX_SAFE_INTEGER);
    const field = await this.#fieldOf(at, size, had);
    if (field === undefined) return null;
    if (field === null || size <= CACHED_BYTES) remember(this.#fields, at, field, CACHED_FIELDS);
    return field;
  }

  /** Its name is read first: of one that is not wanted nothing else is. Undefined where one by its name was read. */
  async #fieldOf(at: number, size: number, had: ReadonlyMap<string, string>): Promise<Field | null | undefined> {
    const start = payloadAt(this.header.compact);
    const length = Math.max(0, size - start);
    const flags = (await this.#bytes(at, OBJECT_HEADER))[1] ?? 0;
    let name: string | null = null;
    const isWanted = (head: Buffer) => {
      name = wantedName(head);
      return name !== null && !had.has(name);
    };
    if ((flags & ANY_PACKED) === 0) {
      const head = await this.#bytes(at + start, Math.min(length, MOST_NAME + 1));
      if (isWanted(head)) return wantedField(await this.#bytes(at + start, Math.min(length, MOST_FIELD)));
      return name === null ? null : undefined;
    }
    const packed = await this.#bytes(at + start, Math.min(length, MOST_PACKED));
    const head = await unpackedHead(packed, flags, MOST_FIELD, isWanted);
    if (head === null) this.unreadable += 1;
    return head === null || name === null ? null : had.has(name) ? undefined : wantedField(head);
  }

  async #sizeOf(at: number, type: number, most: number): Promise<number> {
    const head = await this.#bytes(at, OBJECT_HEADER);
    const size = u64(head, 8);
    if (head[0] !== type || size < OBJECT_HEADER || size > most)
      throw new DamagedJournal(`no object of type ${type} at byte ${at}`);
    return size;
  }

  async #bytes(at: number, length: number): Promise<Buffer> {
    const known = this.#windows.find((window) => at >= window.at && at + length <= window.at + window.bytes.length);
    if (known !== undefined) return known.bytes.subarray(at - known.at, at - known.at + length);
    const from = Math.max(0, at - WINDOW_BEFORE);
    const buffer = Buffer.alloc(Math.max(at + length - from, WINDOW_BYTES));
    const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, from);
    if (from + bytesRead < at + length)
      throw new DamagedJournal(`the file ends at byte ${from + bytesRead}, within an object`);
    // One that is longer is not read again.
    if (length <= WINDOW_BYTES)
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
