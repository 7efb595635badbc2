// Bytes: pieces of a stream, and a look at its first ones.

export type Bytes = AsyncGenerator<Buffer, void, undefined>;

/** The first `most` bytes, fewer where there are not so many, and all bytes with them. */
export async function peeked(bytes: Bytes, most: number): Promise<{ readonly head: Buffer; readonly bytes: Bytes }> {
  const first: Buffer[] = [];
  let length = 0;
  while (length < most) {
    const { value, done } = await bytes.next();
    if (done === true) break;
    first.push(value);
    length += value.length;
  }
  return { head: Buffer.concat(first).subarray(0, most), bytes: joined(first, bytes) };
}

async function* joined(first: readonly Buffer[], rest: Bytes): Bytes {
  try {
    yield* first;
    yield* rest;
  } finally {
    // Where nothing was asked for, the rest was never begun, and would not end by itself.
    await rest.return();
  }
}
