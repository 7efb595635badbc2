// SNMPv3 Report messages (RFC 3414 section 3.2) that the protocol library's agent does not send by itself.

import type { DatagramHead } from '../../sources/pdu/datagram.ts';

/** usmStats counters, 1.3.6.1.6.3.15.1.1.N.0 */
export const USM_STATS = {
  unsupportedSecLevels: 1,
  notInTimeWindows: 2,
  unknownUserNames: 3,
  wrongDigests: 5,
  decryptionErrors: 6,
} as const;

function tlv(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const head =
    body.length < 0x80
      ? [tag, body.length]
      : body.length < 0x100
        ? [tag, 0x81, body.length]
        : [tag, 0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from(head), body]);
}

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeIntBE(value, 0, 5);
  let start = 0;
  while (start < 4 && bytes[start] === 0 && ((bytes[start + 1] ?? 0) & 0x80) === 0) start += 1;
  return tlv(0x02, bytes.subarray(start));
}

/** An unauthenticated Report that answers `head`. */
export function usmReport(head: DatagramHead, engineId: Buffer, counter: number): Buffer {
  const empty = tlv(0x04);
  const oid = tlv(0x06, Buffer.from([0x2b, 6, 1, 6, 3, 15, 1, 1, counter, 0]));
  const varbind = tlv(0x30, oid, tlv(0x41, Buffer.from([1])));
  const report = tlv(0xa8, integer(0), integer(0), integer(0), tlv(0x30, varbind));
  return tlv(
    0x30,
    integer(3),
    tlv(0x30, integer(head.v3?.messageId ?? 0), integer(65_507), tlv(0x04, Buffer.from([0])), integer(3)),
    tlv(0x04, tlv(0x30, tlv(0x04, engineId), integer(0), integer(10), empty, empty, empty)),
    tlv(0x30, tlv(0x04, engineId), empty, report),
  );
}
