// Own bytes: for what is kept as long as the program runs. A small buffer is cut from a pool of 64 KiB, of which it would keep all.

/** The bytes of a text, and nothing else. */
export function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
