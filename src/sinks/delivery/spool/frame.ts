// Frame: how one message lies in a spool segment — a header with length and checksum, then the bytes as they are sent.

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ownBytes } from '../../../helpers/own-bytes.ts';

/** What is sent in one go, serialised once. */
export interface Message {
  readonly bytes: Uint8Array;
  /** How many things are in it: data points, log records, spans, notifications. */
  readonly items: number;
  /** When it was made, epoch ms: its age decides when it is given up. */
  readonly timeMs: number;
}

/** The same for each try, also in a later run: for receivers that drop what they have already. */
export function messageId({ bytes, timeMs }: Message): string {
  return createHash('sha256').update(`${timeMs} `).update(bytes).digest('hex').slice(0, 32);
}

/** magic u32, version u32, length u32, items u32, time f64, crc32 u32; little endian. The checksum covers all but itself. */
export const HEADER_BYTES = 28;
const MAGIC = 0x50534c46; // "FLSP"
const MAGIC_BYTES = ownBytes('FLSP');
const VERSION = 1;
/** More than any receiver takes at once. */
export const MOST_BYTES = 16 * 1024 * 1024;

export interface FrameHeader {
  readonly length: number;
  readonly items: number;
  readonly timeMs: number;
  readonly checksum: number;
}

export function frameOf(message: Message): Buffer {
  const { bytes, items, timeMs } = message;
  const frame = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
  frame.writeUInt32LE(MAGIC, 0);
  frame.writeUInt32LE(VERSION, 4);
  frame.writeUInt32LE(bytes.length, 8);
  frame.writeUInt32LE(items, 12);
  frame.writeDoubleLE(timeMs, 16);
  frame.set(bytes, HEADER_BYTES);
  frame.writeUInt32LE(crc32(bytes, crc32(frame.subarray(0, 24))), 24);
  return frame;
}

/** Null where no frame begins. */
export function readHeader(buffer: Buffer): FrameHeader | null {
  if (buffer.length < HEADER_BYTES || buffer.readUInt32LE(0) !== MAGIC || buffer.readUInt32LE(4) !== VERSION)
    return null;
  const length = buffer.readUInt32LE(8);
  if (length > MOST_BYTES) return null;
  return { length, items: buffer.readUInt32LE(12), timeMs: buffer.readDoubleLE(16), checksum: buffer.readUInt32LE(24) };
}

/** The message whose frame fills the beginning of `buffer`; null where there is none, or it is cut short or damaged. */
export function readFrame(buffer: Buffer): Message | null {
  const header = readHeader(buffer);
  if (header === null || buffer.length < HEADER_BYTES + header.length) return null;
  const bytes = buffer.subarray(HEADER_BYTES, HEADER_BYTES + header.length);
  if (crc32(bytes, crc32(buffer.subarray(0, 24))) !== header.checksum) return null;
  return { bytes, items: header.items, timeMs: header.timeMs };
}

/** Offset of the first whole frame at or after `from`; -1 when there is none. Steps over what is damaged. */
export function findFrame(buffer: Buffer, from: number): number {
  for (let at = buffer.indexOf(MAGIC_BYTES, from); at >= 0; at = buffer.indexOf(MAGIC_BYTES, at + 1)) {
    if (readFrame(buffer.subarray(at)) !== null) return at;
  }
  return -1;
}
