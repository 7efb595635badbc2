// ByteReader: parts of a stream of known length, and what comes behind them.

import type { Bytes } from './bytes.ts';

export class ByteReader {
  readonly #bytes: Bytes;
  #piece: Buffer = Buffer.alloc(0);

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
  }

  /** Fewer only at the end. */
  async take(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.part(length)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  async skip(length: number): Promise<void> {
    for await (const _ of this.part(length));
  }

  async *part(length: number): Bytes {
    for (let left = length; left > 0; ) {
      const next = await this.next();
      if (next === null) return;
      const piece = next.subarray(0, left);
      this.back(next.subarray(piece.length));
      left -= piece.length;
      yield piece;
    }
  }

  /** What is there at once; null at the end. */
  async next(): Promise<Buffer | null> {
    const piece = this.#piece;
    this.#piece = Buffer.alloc(0);
    if (piece.length > 0) return piece;
    const { value, done } = await this.#bytes.next();
    return done === true ? null : value;
  }

  /** What of a piece was not used: it comes next. */
  back(rest: Buffer): void {
    this.#piece = rest;
  }
}
