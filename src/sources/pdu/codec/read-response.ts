// Reads a response of SNMPv1 or v2c in one pass. Only what is exactly as it should be: for anything else the answer is null, and
// the protocol library, which is slower and takes more, has the datagram. Never throws.

import { askedVarbind, isOidOf, oidText } from './oid-bytes.ts';

/** As the protocol library has it. Octets, Opaque and Counter64 are bytes of the datagram. */
export interface ReadVarbind {
  readonly oid: string;
  readonly type: number;
  readonly value: number | string | Buffer | null;
}

export interface ResponsePdu {
  readonly type: typeof RESPONSE;
  readonly id: number;
  readonly errorStatus: number;
  readonly errorIndex: number;
  readonly varbinds: readonly ReadVarbind[];
}

const RESPONSE = 0xa2;
const [INTEGER, OCTETS, NULL, OID, SEQUENCE] = [0x02, 0x04, 0x05, 0x06, 0x30];
const [IP_ADDRESS, COUNTER, GAUGE, TICKS, OPAQUE, COUNTER64] = [0x40, 0x41, 0x42, 0x43, 0x44, 0x46];
const [NO_OBJECT, NO_INSTANCE, END_OF_VIEW] = [0x80, 0x81, 0x82];
/** No position. */
const WRONG = -1;

/** Of one datagram: first whose it is, then what it says. */
export class ResponseReader {
  readonly #bytes: Buffer;
  #at = 0;
  /** Where the element that was entered last ends. */
  #end = 0;
  #id = 0;
  #pduEnd = WRONG;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The id of the request that it answers; null where it is not a response of this version and community. */
  requestId(version: 0 | 1, community: Buffer): number | null {
    if (!this.#enter(SEQUENCE, this.#bytes.length) || this.#end !== this.#bytes.length) return null;
    const whole = this.#end;
    if (this.#integer(whole, 1) !== version || !this.#enter(OCTETS, whole)) return null;
    const length = this.#end - this.#at;
    if (length !== community.length || this.#bytes.compare(community, 0, length, this.#at, this.#end) !== 0)
      return null;
    this.#at = this.#end;
    if (!this.#enter(RESPONSE, whole) || this.#end !== whole) return null;
    this.#pduEnd = this.#end;
    const id = this.#integer(this.#pduEnd, 4);
    this.#id = id ?? 0;
    return id;
  }

  /** After `requestId`. `asked`: what the request asked for; answers that name the same are not written out as text again. */
  pdu(asked: readonly { readonly oid: string }[]): ResponsePdu | null {
    const end = this.#pduEnd;
    const errorStatus = this.#integer(end, 4);
    const errorIndex = this.#integer(end, 4);
    if (errorStatus === null || errorIndex === null || !this.#enter(SEQUENCE, end) || this.#end !== end) return null;
    const varbinds: ReadVarbind[] = [];
    while (this.#at < end) {
      const varbind = this.#varbind(end, asked[varbinds.length]?.oid);
      if (varbind === null) return null;
      varbinds.push(varbind);
    }
    return { type: RESPONSE, id: this.#id, errorStatus, errorIndex, varbinds };
  }

  #varbind(limit: number, asked: string | undefined): ReadVarbind | null {
    if (!this.#enter(SEQUENCE, limit)) return null;
    const end = this.#end;
    if (!this.#enter(OID, end)) return null;
    const oid = this.#oid(asked);
    this.#at = this.#end;
    const type = this.#bytes[this.#at] ?? 0;
    if (oid === null || this.#at >= end || !this.#enter(type, end) || this.#end !== end) return null;
    const value = this.#value(type);
    this.#at = end;
    return value === undefined ? null : { oid, type, value };
  }

  #oid(asked: string | undefined): string | null {
    const varbind = asked === undefined ? null : askedVarbind(asked);
    if (asked !== undefined && varbind !== null && isOidOf(varbind, this.#bytes, this.#at, this.#end)) return asked;
    return oidText(this.#bytes, this.#at, this.#end);
  }

  /** Undefined where it is not as it should be. */
  #value(type: number): ReadVarbind['value'] | undefined {
    const bytes = this.#bytes;
    const [start, length] = [this.#at, this.#end - this.#at];
    switch (type) {
      case INTEGER:
        return length < 1 || length > 4 ? undefined : bytes.readIntBE(start, length);
      case COUNTER:
      case GAUGE:
      case TICKS:
        return length < 1 || length > 5 ? undefined : bytes.readIntBE(start, length) >>> 0;
      case OCTETS:
      case OPAQUE:
      case COUNTER64:
        return bytes.subarray(start, this.#end);
      case OID:
        return oidText(bytes, start, this.#end) ?? undefined;
      case IP_ADDRESS:
        return length === 4 ? [...bytes.subarray(start, this.#end)].join('.') : undefined;
      case NULL:
      case NO_OBJECT:
      case NO_INSTANCE:
      case END_OF_VIEW:
        return length === 0 ? null : undefined;
      default:
        return undefined;
    }
  }

  /** Goes into the element of that tag here: `#at` and `#end` are its content's. False where there is none, or it leaves `limit`. */
  #enter(tag: number, limit: number): boolean {
    const bytes = this.#bytes;
    let at = this.#at;
    if (at + 2 > limit || bytes[at] !== tag) return false;
    let length = bytes[at + 1] ?? 0;
    at += 2;
    if (length >= 0x80) {
      const size = length - 0x80;
      if (size < 1 || size > 4 || at + size > limit) return false;
      length = bytes.readUIntBE(at, size);
      at += size;
    }
    if (at + length > limit) return false;
    this.#at = at;
    this.#end = at + length;
    return true;
  }

  /** A number here, of so many bytes at most. */
  #integer(limit: number, most: number): number | null {
    if (!this.#enter(INTEGER, limit)) return null;
    const length = this.#end - this.#at;
    if (length < 1 || length > most) return null;
    const value = this.#bytes.readIntBE(this.#at, length);
    this.#at = this.#end;
    return value;
  }
}
