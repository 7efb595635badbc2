// Segment: one file of a spool as memory knows it, and its name on disk.

import { findFrame, HEADER_BYTES, readFrame } from './frame.ts';

export interface Segment {
  readonly number: number;
  /** Bytes of whole frames; what lies behind them is torn and never read. */
  bytes: number;
  messages: number;
  items: number;
  /** Time of the newest message, epoch ms. */
  newestMs: number;
}

const NAME = /^(\d{12})\.spool$/;

export function segmentName(number: number): string {
  return `${String(number).padStart(12, '0')}.spool`;
}

/** The number in a segment's name, null for any other file. */
export function segmentNumber(name: string): number | null {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** What a file that some earlier run left holds from `from` on, and how many of its bytes belong to no frame. */
export function surveySegment(number: number, content: Buffer, from = 0): { segment: Segment; damagedBytes: number } {
  const segment: Segment = { number, bytes: content.length, messages: 0, items: 0, newestMs: 0 };
  let damagedBytes = 0;
  let at = Math.min(from, content.length);
  while (at < content.length) {
    const message = readFrame(content.subarray(at));
    if (message !== null) {
      segment.messages += 1;
      segment.items += message.items;
      segment.newestMs = Math.max(segment.newestMs, message.timeMs);
      at += HEADER_BYTES + message.bytes.length;
      continue;
    }
    const next = findFrame(content, at + 1);
    damagedBytes += (next < 0 ? content.length : next) - at;
    if (next < 0) {
      segment.bytes = at;
      break;
    }
    at = next;
  }
  return { segment, damagedBytes };
}
