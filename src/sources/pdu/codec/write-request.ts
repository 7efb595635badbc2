// Encodes a request of SNMPv1 or v2c, and the PDU inside one of v3, from identifiers that are encoded already.

import { askedVarbind } from './oid-bytes.ts';

/** As the protocol library has it before it is encoded. */
export interface RequestPdu {
  /** 0xa0 GET, 0xa1 GETNEXT, 0xa5 GETBULK. */
  readonly type: number;
  id: number;
  readonly varbinds: readonly { readonly oid: string }[];
  /** Of GETBULK. */
  readonly options?: { readonly nonRepeaters?: number; readonly maxRepetitions?: number };
}

const GETBULK = 0xa5;

/** Null where an identifier is not of the usual kind. */
export function pduBytes({ type, id, varbinds, options = {} }: RequestPdu): Buffer | null {
  const parts: Buffer[] = [];
  for (const { oid } of varbinds) {
    const varbind = askedVarbind(oid);
    if (varbind === null) return null;
    parts.push(varbind);
  }
  const bulk = type === GETBULK;
  const list = wrapped(0x30, parts);
  return wrapped(type, [
    integer(id),
    integer(bulk ? (options.nonRepeaters ?? 0) : 0),
    integer(bulk ? (options.maxRepetitions ?? 0) : 0),
    list,
  ]);
}

/** `version`: 0 for v1, 1 for v2c. */
export function messageBytes(version: 0 | 1, community: Buffer, pdu: Buffer): Buffer {
  return wrapped(0x30, [integer(version), wrapped(0x04, [community]), pdu]);
}

/** From 0 to 2^31 − 1. */
function integer(value: number): Buffer {
  const bytes = value < 0x80 ? 1 : value < 0x8000 ? 2 : value < 0x80_0000 ? 3 : 4;
  const out = Buffer.allocUnsafe(2 + bytes);
  out[0] = 0x02;
  out[1] = bytes;
  out.writeIntBE(value, 2, bytes);
  return out;
}

function wrapped(tag: number, parts: readonly Buffer[]): Buffer {
  let length = 0;
  for (const part of parts) length += part.length;
  const head = length < 0x80 ? 2 : length < 0x100 ? 3 : 4;
  const out = Buffer.allocUnsafe(head + length);
  out[0] = tag;
  if (head === 2) out[1] = length;
  else {
    out[1] = 0x80 | (head - 2);
    out.writeUIntBE(length, 2, head - 2);
  }
  let at = head;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
