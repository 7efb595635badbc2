// Object identifiers between their dotted text and their bytes (X.690, 8.19). A poll asks for the same ones again and again, so
// that what was encoded once is kept.

/** Of all devices together; beyond that it is emptied. */
const MOST_KEPT = 20_000;
const MOST_NUMBER = 0xffff_ffff;
const TEXT = /^\d+(?:\.\d+)+$/;

const kept = new Map<string, Buffer>();

/** A varbind of a request: SEQUENCE of the identifier and NULL. Null where the text is not an identifier of the usual kind. */
export function askedVarbind(oid: string): Buffer | null {
  const known = kept.get(oid);
  if (known !== undefined) return known;
  const encoded = encode(oid);
  if (encoded === null) return null;
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(oid, encoded);
  return encoded;
}

/** Under 128 bytes, as every identifier of a catalogue is: each length is one byte then. */
function encode(oid: string): Buffer | null {
  if (!TEXT.test(oid)) return null;
  const [first = 0, second = 0, ...rest] = oid.split('.').map(Number);
  if (first > 1 || second > 39 || rest.some((number) => number > MOST_NUMBER)) return null;
  const bytes = [first * 40 + second];
  for (const number of rest) {
    for (let shift = 28; shift > 0; shift -= 7) {
      if (number >= 2 ** shift) bytes.push((Math.floor(number / 2 ** shift) & 0x7f) | 0x80);
    }
    bytes.push(number & 0x7f);
  }
  if (bytes.length > 100) return null;
  const all = [0x30, bytes.length + 4, 0x06, bytes.length, ...bytes, 0x05, 0x00];
  // Memory of its own: a part of Node's pool would keep all of the pool.
  const varbind = Buffer.allocUnsafeSlow(all.length);
  varbind.set(all);
  return varbind;
}

/** Whether the identifier in [start, end) is the one of that varbind. */
export function isOidOf(varbind: Buffer, buffer: Buffer, start: number, end: number): boolean {
  const length = varbind.length - 6;
  if (end - start !== length) return false;
  for (let i = 0; i < length; i += 1) if (buffer[start + i] !== varbind[i + 4]) return false;
  return true;
}

/** The dotted text of the content in [start, end); null where it is not one of the usual kind, below 0 or 1. */
export function oidText(buffer: Buffer, start: number, end: number): string | null {
  const first = buffer[start] ?? 0xff;
  if (start >= end || first >= 80) return null;
  let text = first < 40 ? `0.${first}` : `1.${first - 40}`;
  let number = 0;
  let inside = false;
  for (let i = start + 1; i < end; i += 1) {
    const byte = buffer[i] ?? 0;
    number = number * 128 + (byte & 0x7f);
    if (number > MOST_NUMBER) return null;
    inside = byte >= 0x80;
    if (inside) continue;
    text += `.${number}`;
    number = 0;
  }
  return inside ? null : text;
}
