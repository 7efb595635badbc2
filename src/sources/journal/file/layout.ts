// Layout of journal files (systemd.io/JOURNAL_FILE_FORMAT, and src/libsystemd/sd-journal/journal-def.h): header, objects.

const SIGNATURE = 'LPKSHHRH';
export const HEADER_BYTES = 272;
/** What every header has, of the oldest form. */
const LEAST_HEADER = 208;
export const OBJECT_HEADER = 16;

export const TYPE = { data: 1, entry: 3, entryArray: 6 } as const;
export const PACKED = { xz: 1, lz4: 2, zstd: 4 } as const;
/** Incompatible flags: compression, keyed hashes (of no meaning for reading), small offsets. */
const COMPACT = 16;
const KNOWN_FLAGS = 1 | 2 | 4 | 8 | COMPACT;

export interface JournalHeader {
  readonly compact: boolean;
  readonly fileId: string;
  readonly machineId: string;
  /** Sequence numbers are of one row where this is the same, also over files. */
  readonly seqnumId: string;
  readonly entries: number;
  readonly firstArray: number;
  readonly headSeqnum: number;
  readonly tailSeqnum: number;
  /** µs of the wall clock, as ms. */
  readonly headMs: number;
  readonly tailMs: number;
}

/** What is wrong with it, as a sentence, where it cannot be read. */
export function readHeader(bytes: Buffer): JournalHeader | string {
  if (bytes.length < LEAST_HEADER || bytes.toString('latin1', 0, 8) !== SIGNATURE) return 'is not a journal file';
  const flags = bytes.readUInt32LE(12);
  if ((flags & ~KNOWN_FLAGS) !== 0) return `is of a newer form than is known (flags ${flags})`;
  return {
    compact: (flags & COMPACT) !== 0,
    fileId: id(bytes, 24),
    machineId: id(bytes, 40),
    seqnumId: id(bytes, 72),
    entries: u64(bytes, 152),
    tailSeqnum: u64(bytes, 160),
    headSeqnum: u64(bytes, 168),
    firstArray: u64(bytes, 176),
    headMs: u64(bytes, 184) / 1000,
    tailMs: u64(bytes, 192) / 1000,
  };
}

export interface EntryHead {
  readonly seqnum: number;
  readonly realtimeUs: number;
  readonly bootId: string;
  /** Offsets of its data objects. */
  readonly items: readonly number[];
}

const ENTRY_ITEMS = 64;
const MOST_ITEMS = 1024;

export function readEntry(object: Buffer, compact: boolean): EntryHead {
  const width = compact ? 4 : 16;
  const count = Math.min(MOST_ITEMS, Math.max(0, Math.floor((object.length - ENTRY_ITEMS) / width)));
  const items: number[] = [];
  for (let i = 0; i < count; i += 1) items.push(offsetAt(object, ENTRY_ITEMS + i * width, compact));
  return { seqnum: u64(object, 16), realtimeUs: u64(object, 24), bootId: id(object, 40), items };
}

const ARRAY_ITEMS = 24;

/** Of an array of entries: the offset of the next one, 0 where it is the last, and how many it has room for. */
export function readArrayHead(object: Buffer, size: number, compact: boolean): { next: number; room: number } {
  return { next: u64(object, 16), room: Math.floor((size - ARRAY_ITEMS) / (compact ? 4 : 8)) };
}

export function arrayItemAt(index: number, compact: boolean): number {
  return ARRAY_ITEMS + index * (compact ? 4 : 8);
}

export function offsetAt(bytes: Buffer, at: number, compact: boolean): number {
  return compact ? bytes.readUInt32LE(at) : u64(bytes, at);
}

/** Where the payload of a data object begins. */
export function payloadAt(compact: boolean): number {
  return compact ? 72 : 64;
}

export function u64(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at));
}

function id(bytes: Buffer, at: number): string {
  return bytes.toString('hex', at, at + 16);
}
