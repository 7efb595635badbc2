// Text bytes: an answer as the bytes that it is sent as, written a piece at a time. A list of its lines would be as large again, and all of
// it alive at once: what V8 collects last.

/** Bytes that a UTF-16 unit can become. */
const MOST_BYTES_A_UNIT = 3;

export class TextBytes {
  #bytes: Buffer;
  #used = 0;

  /** `expected`: bytes that there will be; more may come. `room`: written over, where there is as much of it. */
  constructor(expected: number, room: Buffer | null = null) {
    this.#bytes = room !== null && room.length >= expected ? room : Buffer.allocUnsafeSlow(expected);
  }

  text(piece: string): void {
    const most = MOST_BYTES_A_UNIT * piece.length;
    if (this.#bytes.length - this.#used < most) this.#grow(this.#used + most);
    this.#used += this.#bytes.write(piece, this.#used);
  }

  /** All of it; nothing is to be written after that. */
  end(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  #grow(least: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(least, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}
