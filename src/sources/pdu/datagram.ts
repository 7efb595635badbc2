// Looks at an SNMP datagram without decoding it whole: version, security flags, user, kind of PDU. Never throws.

export interface Tlv {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

export interface DatagramHead {
  /** 0 = v1, 1 = v2c, 3 = v3. */
  readonly version: number;
  /** Tag of the PDU (0xa0 GET, 0xa2 response, 0xa5 GETBULK, 0xa8 report), null where it is encrypted. */
  readonly pduTag: number | null;
  /** Content of the PDU, null where it is encrypted. */
  readonly pdu: Tlv | null;
  readonly v3: {
    readonly messageId: number;
    readonly flags: number;
    readonly engineId: Buffer;
    /** Of that engine, as the message has them: how often it started, and for how long it runs, s. */
    readonly boots: number;
    readonly time: number;
    readonly user: string;
    readonly digest: Buffer;
  } | null;
}

/** One BER element at `offset`; null when it does not fit into [offset, limit). */
export function readTlv(buffer: Buffer, offset: number, limit: number): Tlv | null {
  if (offset + 2 > limit) return null;
  const tag = buffer[offset] ?? 0;
  let length = buffer[offset + 1] ?? 0;
  let start = offset + 2;
  if (length & 0x80) {
    const bytes = length & 0x7f;
    if (bytes < 1 || bytes > 4 || start + bytes > limit) return null;
    length = buffer.readUIntBE(start, bytes);
    start += bytes;
  }
  return start + length > limit ? null : { tag, start, end: start + length };
}

export function tlvInteger(buffer: Buffer, tlv: Tlv | null | undefined): number | null {
  if (tlv?.tag !== 0x02) return null;
  const bytes = tlv.end - tlv.start;
  return bytes < 1 || bytes > 6 ? null : buffer.readIntBE(tlv.start, bytes);
}

/** The elements inside `outer`, at most `most`; stops at the first that does not fit. */
export function tlvChildren(buffer: Buffer, outer: Tlv, most = 16): Tlv[] {
  const children: Tlv[] = [];
  let offset = outer.start;
  while (offset < outer.end && children.length < most) {
    const child = readTlv(buffer, offset, outer.end);
    if (child === null) break;
    children.push(child);
    offset = child.end;
  }
  return children;
}

/** Null when the datagram is not an SNMP message. */
export function datagramHead(buffer: Buffer): DatagramHead | null {
  const outer = readTlv(buffer, 0, buffer.length);
  if (outer?.tag !== 0x30) return null;
  const [versionTlv, second, third, fourth] = tlvChildren(buffer, outer);
  const version = tlvInteger(buffer, versionTlv);
  if (version === null || second === undefined || third === undefined) return null;
  if (version !== 3) return { version, pduTag: third.tag, pdu: third, v3: null };

  const [idTlv, , flagsTlv] = tlvChildren(buffer, second);
  const messageId = tlvInteger(buffer, idTlv);
  const security = readTlv(buffer, third.start, third.end);
  if (messageId === null || flagsTlv === undefined || security === null || fourth === undefined) return null;
  const [engine, boots, time, user, digest] = tlvChildren(buffer, security);
  if (engine === undefined || user === undefined || digest === undefined) return null;
  const pdu = fourth.tag === 0x30 ? (tlvChildren(buffer, fourth)[2] ?? null) : null;
  return {
    version,
    pduTag: pdu?.tag ?? null,
    pdu,
    v3: {
      messageId,
      flags: flagsTlv.end > flagsTlv.start ? (buffer[flagsTlv.start] ?? 0) : 0,
      engineId: buffer.subarray(engine.start, engine.end),
      boots: tlvInteger(buffer, boots) ?? 0,
      time: tlvInteger(buffer, time) ?? 0,
      user: buffer.toString('utf8', user.start, Math.min(user.end, user.start + 64)),
      digest: buffer.subarray(digest.start, digest.end),
    },
  };
}
