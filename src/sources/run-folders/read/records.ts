// Records: bytes of a run's file in, its messages out, however the bytes are cut: TFRecord, W&B's log of transactions, lines of JSON.

import { crc32 } from 'node:zlib';
import { maskedCrc32c } from './crc32c.ts';

/** A message of images or of a graph is longer, and holds no number of a step. */
const MOST_RECORD = 16 * 1024 * 1024;

/** Gives what is whole. Throws `DamagedRecords` where it cannot be read on. */
export interface RecordReader {
  push(bytes: Buffer): Buffer[];
}

export class DamagedRecords extends Error {}

/** TensorFlow, core/lib/io/record_writer.h: length, its masked CRC-32C, data, its masked CRC-32C. */
export class TfRecords implements RecordReader {
  #held: Buffer = Buffer.alloc(0);
  #at = 0;

  push(bytes: Buffer): Buffer[] {
    this.#held = Buffer.concat([this.#held, bytes]);
    const records: Buffer[] = [];
    let from = 0;
    while (this.#held.length - from >= 12) {
      const head = this.#held.subarray(from, from + 12);
      const length = Number(head.readBigUInt64LE(0));
      if (head.readUInt32LE(8) !== maskedCrc32c(head.subarray(0, 8))) throw this.#damaged(from, 'length');
      if (length > MOST_RECORD) throw this.#damaged(from, 'size');
      if (this.#held.length - from < 16 + length) break;
      const data = this.#held.subarray(from + 12, from + 12 + length);
      if (this.#held.readUInt32LE(from + 12 + length) !== maskedCrc32c(data)) throw this.#damaged(from, 'data');
      records.push(Buffer.from(data));
      from += 16 + length;
    }
    this.#at += from;
    this.#held = Buffer.from(this.#held.subarray(from));
    return records;
  }

  #damaged(from: number, what: string): DamagedRecords {
    return new DamagedRecords(`the ${what} of the record at byte ${this.#at + from} is damaged`);
  }
}

const BLOCK = 32_768;
const HEAD = 7;
const [FULL, FIRST, MIDDLE, LAST] = [1, 2, 3, 4];

/** wandb, sdk/internal/datastore.py: ":W&B", 0xBEE1 and a version, then LevelDB's log format with the CRC-32 of zlib. */
export class WandbRecords implements RecordReader {
  #held: Buffer = Buffer.alloc(0);
  /** Of the first byte that is held. */
  #at = 0;
  #parts: Buffer[] | null = null;
  #length = 0;

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
    return records;
  }

  #take(type: number, data: Buffer, records: Buffer[]): void {
    if (crc32(data, crc32(Buffer.from([type]))) !== this.#held.readUInt32LE(0))
      throw new DamagedRecords(`the record at byte ${this.#at} is damaged`);
    if (type === FULL) records.push(data);
    if (type === FIRST) this.#begin(data);
    if ((type === MIDDLE || type === LAST) && this.#parts !== null) {
      this.#length += data.length;
      if (this.#length > MOST_RECORD) this.#parts = null;
      else this.#parts.push(data);
      if (type === LAST && this.#parts !== null) records.push(Buffer.concat(this.#parts));
      if (type === LAST) this.#parts = null;
    }
  }

  #begin(data: Buffer): void {
    this.#parts = [data];
    this.#length = data.length;
  }

  #drop(bytes: number): void {
    this.#held = this.#held.subarray(bytes);
    this.#at += bytes;
  }
}

const MOST_LINE = 1024 * 1024;

/** A line each. */
export class JsonLines implements RecordReader {
  #held: Buffer = Buffer.alloc(0);

  push(bytes: Buffer): Buffer[] {
    this.#held = Buffer.concat([this.#held, bytes]);
    const lines: Buffer[] = [];
    for (let end = this.#held.indexOf(0x0a); end >= 0; end = this.#held.indexOf(0x0a)) {
      lines.push(Buffer.from(this.#held.subarray(0, end)));
      this.#held = this.#held.subarray(end + 1);
    }
    if (this.#held.length > MOST_LINE) throw new DamagedRecords('a line is longer than 1 MiB');
    return lines;
  }
}
