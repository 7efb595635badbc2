// Records: bytes of a run's file in, its messages out, however the bytes are cut: TFRecord, W&B's log of transactions, lines of JSON.

import { crc32 } from 'node:zlib';
import { maskedCrc32c } from './crc32c.ts';
import { HeldBytes } from './held-bytes.ts';

/** A message of images or of a graph is longer, and holds no number of a step: it is passed over. */
export const MOST_RECORD = 1024 * 1024;
/** As long as a message of protobuf can be. */
const LARGEST = 2 ** 31;
const NOTHING: Buffer = Buffer.alloc(0);

/** Gives what is whole. Throws `DamagedRecords` where it cannot be read on. */
export interface RecordReader {
  /** Records that were passed over, as they are too long. */
  readonly passed: number;
  push(bytes: Buffer): Buffer[];
  /** Nothing more comes: nothing is kept. */
  end(): void;
}

export class DamagedRecords extends Error {}

/** What one reader keeps, within what all may. */
class Share {
  readonly #held: HeldBytes;
  #bytes = 0;

  constructor(held: HeldBytes) {
    this.#held = held;
  }

  /** False where it may not keep so much. */
  keep(bytes: number): boolean {
    if (bytes > MOST_RECORD + 16 || !this.#held.change(this.#bytes, bytes)) return false;
    this.#bytes = bytes;
    return true;
  }
}

/** TensorFlow, core/lib/io/record_writer.h: length, its masked CRC-32C, data, its masked CRC-32C. */
export class TfRecords implements RecordReader {
  readonly #share: Share;
  #held = NOTHING;
  #at = 0;
  /** Bytes to come of a record that is passed over. */
  #skip = 0;
  passed = 0;

  constructor(held = new HeldBytes()) {
    this.#share = new Share(held);
  }

  push(bytes: Buffer): Buffer[] {
    const skipped = Math.min(this.#skip, bytes.length);
    this.#skip -= skipped;
    this.#at += skipped;
    this.#held = Buffer.concat([this.#held, bytes.subarray(skipped)]);
    const records: Buffer[] = [];
    let from = 0;
    let open = 0;
    while (this.#held.length - from >= 12) {
      const head = this.#held.subarray(from, from + 12);
      const length = Number(head.readBigUInt64LE(0));
      if (head.readUInt32LE(8) !== maskedCrc32c(head.subarray(0, 8))) throw this.#damaged(from, 'length');
      if (length > LARGEST) throw this.#damaged(from, 'size');
      const [whole, here] = [16 + length, this.#held.length - from];
      if (length > MOST_RECORD || (here < whole && !this.#share.keep(whole))) {
        this.passed += 1;
        this.#skip = Math.max(0, whole - here);
        from += Math.min(whole, here);
        continue;
      }
      if (here < whole) {
        open = whole;
        break;
      }
      const data = this.#held.subarray(from + 12, from + 12 + length);
      if (this.#held.readUInt32LE(from + 12 + length) !== maskedCrc32c(data)) throw this.#damaged(from, 'data');
      records.push(Buffer.from(data));
      from += whole;
    }
    if (open === 0) this.#share.keep(0);
    this.#at += from;
    this.#held = Buffer.from(this.#held.subarray(from));
    return records;
  }

  end(): void {
    this.#held = NOTHING;
    this.#share.keep(0);
  }

  #damaged(from: number, what: string): DamagedRecords {
    return new DamagedRecords(`the ${what} of the record at byte ${this.#at + from} is damaged`);
  }
}

const BLOCK = 32_768;
const HEAD = 7;
const [FULL, FIRST, MIDDLE, LAST] = [1, 2, 3, 4];
/** A part fills its block; a file may have it in as many as it has bytes. */
const MOST_PARTS = 2 * (MOST_RECORD / BLOCK);

/** wandb, sdk/internal/datastore.py: ":W&B", 0xBEE1 and a version, then LevelDB's log format with the CRC-32 of zlib. */
export class WandbRecords implements RecordReader {
  readonly #share: Share;
  #held = NOTHING;
  /** Of the first byte that is held. */
  #at = 0;
  #parts: Buffer[] | null = null;
  #length = 0;
  passed = 0;

  constructor(held = new HeldBytes()) {
    this.#share = new Share(held);
  }

  push(bytes: Buffer): Buffer[] {
    this.#held = Buffer.concat([this.#held, bytes]);
    const records: Buffer[] = [];
    if (this.#at === 0) {
      if (this.#held.length < HEAD) return [];
      const known = this.#held.toString('latin1', 0, 4) === ':W&B' && this.#held.readUInt16LE(4) === 0xbee1;
      if (!known || this.#held[6] !== 0) throw new DamagedRecords('it does not begin as a run of W&B does');
      this.#drop(HEAD);
    }
    for (;;) {
      const left = BLOCK - (this.#at % BLOCK);
      if (left < HEAD) {
        if (this.#held.length < left) break;
        this.#drop(left);
        continue;
      }
      if (this.#held.length < HEAD) break;
      const length = this.#held.readUInt16LE(4);
      if (length > left - HEAD) throw new DamagedRecords(`the record at byte ${this.#at} is longer than its block`);
      if (this.#held.length < HEAD + length) break;
      this.#take(this.#held[6] ?? 0, Buffer.from(this.#held.subarray(HEAD, HEAD + length)), records);
      this.#drop(HEAD + length);
    }
    // A copy: the chunk of which it is the end is not kept.
    this.#held = Buffer.from(this.#held);
    return records;
  }

  end(): void {
    this.#held = NOTHING;
    this.#begin(null);
  }

  #take(type: number, data: Buffer, records: Buffer[]): void {
    if (crc32(data, crc32(Buffer.from([type]))) !== this.#held.readUInt32LE(0))
      throw new DamagedRecords(`the record at byte ${this.#at} is damaged`);
    if (type === FULL) records.push(data);
    if (type === FIRST) this.#begin(data);
    if ((type === MIDDLE || type === LAST) && this.#parts !== null) {
      this.#length += data.length;
      this.#parts.push(data);
      if (this.#parts.length > MOST_PARTS || !this.#share.keep(this.#length)) {
        this.passed += 1;
        this.#begin(null);
      }
      if (type === LAST && this.#parts !== null) records.push(Buffer.concat(this.#parts));
      if (type === LAST) this.#begin(null);
    }
  }

  /** Of a record in parts, the first; null where none is kept. It is within a block, and always kept. */
  #begin(data: Buffer | null): void {
    this.#parts = data === null ? null : [data];
    this.#length = data?.length ?? 0;
    this.#share.keep(this.#length);
  }

  #drop(bytes: number): void {
    this.#held = this.#held.subarray(bytes);
    this.#at += bytes;
  }
}

const NEWLINE = 0x0a;

/** A line each. */
export class JsonLines implements RecordReader {
  readonly #share: Share;
  #held = NOTHING;
  /** Within a line that is passed over. */
  #skipping = false;
  passed = 0;

  constructor(held = new HeldBytes()) {
    this.#share = new Share(held);
  }

  push(bytes: Buffer): Buffer[] {
    let left = bytes;
    if (this.#skipping) {
      const end = left.indexOf(NEWLINE);
      if (end < 0) return [];
      this.#skipping = false;
      left = left.subarray(end + 1);
    }
    left = Buffer.concat([this.#held, left]);
    const lines: Buffer[] = [];
    for (let end = left.indexOf(NEWLINE); end >= 0; end = left.indexOf(NEWLINE)) {
      lines.push(Buffer.from(left.subarray(0, end)));
      left = left.subarray(end + 1);
    }
    if (this.#share.keep(left.length)) {
      this.#held = Buffer.from(left);
      return lines;
    }
    this.passed += 1;
    this.#skipping = true;
    this.end();
    return lines;
  }

  end(): void {
    this.#held = NOTHING;
    this.#share.keep(0);
  }
}
