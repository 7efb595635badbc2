// LZ4: one block as systemd's journal keeps it, the length and then the block (github.com/lz4/lz4, doc/lz4_Block_format.md).

const LEAST_MATCH = 4;

/** Null where it is damaged or longer than `most` bytes. Of a longer one than `wanted`, so many of its first bytes. */
export function lz4Block(bytes: Buffer, most: number, wanted = most): Buffer | null {
  if (bytes.length < 8) return null;
  const length = bytes.readBigUInt64LE(0);
  if (length > BigInt(most)) return null;
  const out = Buffer.alloc(Math.min(Number(length), wanted));
  const isCut = out.length < Number(length);
  let [at, to] = [8, 0];
  /** A length continues in bytes of 255. */
  const more = (nibble: number): number => {
    let sum = nibble;
    if (nibble !== 15) return sum;
    for (let next = 255; next === 255 && at < bytes.length; at += 1) {
      next = bytes[at] ?? 0;
      sum += next;
    }
    return sum;
  };
  while (at < bytes.length) {
    const token = bytes[at] ?? 0;
    at += 1;
    const literals = more(token >> 4);
    if (isCut && to + literals >= out.length) {
      const had = bytes.copy(out, to, at, Math.min(bytes.length, at + literals));
      return to + had === out.length ? out : null;
    }
    if (at + literals > bytes.length || to + literals > out.length) return null;
    bytes.copy(out, to, at, at + literals);
    at += literals;
    to += literals;
    if (at >= bytes.length) break; // the last sequence has no match
    if (at + 2 > bytes.length) return null;
    const back = bytes.readUInt16LE(at);
    at += 2;
    const match = more(token & 15) + LEAST_MATCH;
    if (back === 0 || back > to || (!isCut && to + match > out.length)) return null;
    // Byte by byte: what is copied may be what was just written.
    for (let end = Math.min(to + match, out.length); to < end; to += 1) out[to] = out[to - back] ?? 0;
    if (isCut && to === out.length) return out;
  }
  return to === out.length ? out : null;
}
