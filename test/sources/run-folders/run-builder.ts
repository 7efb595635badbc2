// Writes what TensorBoard and W&B write: TFRecord with Event, and W&B's log of transactions with Record, by their documentation.

import { crc32 } from 'node:zlib';
import protobuf from 'protobufjs/minimal.js';
import { maskedCrc32c } from '../../../src/sources/run-folders/read/crc32c.ts';

export function tfRecord(data: Uint8Array): Buffer {
  const head = Buffer.alloc(12);
  head.writeBigUInt64LE(BigInt(data.length), 0);
  head.writeUInt32LE(maskedCrc32c(head.subarray(0, 8)), 8);
  const tail = Buffer.alloc(4);
  tail.writeUInt32LE(maskedCrc32c(Buffer.from(data)), 0);
  return Buffer.concat([head, data, tail]);
}

/** `tensor`: as TensorFlow 2 records a scalar. */
export function tfEvent(wallMs: number, step: number, tag: string, value: number, tensor = false): Uint8Array {
  const one = protobuf.Writer.create();
  one.uint32((1 << 3) | 2).string(tag);
  if (!tensor) one.uint32((2 << 3) | 5).float(value);
  else {
    const content = Buffer.alloc(4);
    content.writeFloatLE(value);
    const inside = protobuf.Writer.create().uint32(1 << 3).int32(1).uint32((4 << 3) | 2).bytes(content).finish(); // biome-ignore format: one line
    one.uint32((8 << 3) | 2).bytes(inside);
  }
  const summary = protobuf.Writer.create().uint32((1 << 3) | 2).bytes(one.finish()).finish(); // biome-ignore format: one line
  return protobuf.Writer.create()
    .uint32((1 << 3) | 1).double(wallMs / 1000)
    .uint32(2 << 3).int64(step)
    .uint32((5 << 3) | 2).bytes(summary)
    .finish(); // biome-ignore format: a line a field
}

/** A row of history as W&B records it. */
/** With the number of the step in a message of its own as well, as the program itself writes it. */
export function wandbHistory(row: Readonly<Record<string, string>>): Uint8Array {
  const history = protobuf.Writer.create();
  for (const [key, json] of Object.entries(row))
    history.uint32((1 << 3) | 2).bytes(protobuf.Writer.create().uint32((2 << 3) | 2).string(key).uint32((16 << 3) | 2).string(json).finish()); // biome-ignore format: one line
  history.uint32((2 << 3) | 2).bytes(protobuf.Writer.create().uint32(1 << 3).int64(Number(row._step ?? 0)).finish()); // biome-ignore format: one line
  return protobuf.Writer.create().uint32(1 << 3).int64(1).uint32((2 << 3) | 2).bytes(history.finish()).finish(); // biome-ignore format: one line
}

const BLOCK = 32_768;

/** ":W&B", and the records over blocks. */
export function wandbFile(records: readonly Uint8Array[]): Buffer {
  const parts: Buffer[] = [Buffer.from([0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0])];
  let at = 7;
  const put = (type: number, data: Buffer): void => {
    const head = Buffer.alloc(7);
    head.writeUInt32LE(crc32(data, crc32(Buffer.from([type]))), 0);
    head.writeUInt16LE(data.length, 4);
    head[6] = type;
    parts.push(head, data);
    at += 7 + data.length;
  };
  for (const record of records) {
    let left = Buffer.from(record);
    let first = true;
    do {
      const room = BLOCK - (at % BLOCK);
      if (room < 7) {
        parts.push(Buffer.alloc(room));
        at += room;
        continue;
      }
      const piece = left.subarray(0, room - 7);
      left = left.subarray(piece.length);
      put(first ? (left.length === 0 ? 1 : 2) : left.length === 0 ? 4 : 3, piece);
      first = false;
    } while (left.length > 0);
  }
  return Buffer.concat(parts);
}
