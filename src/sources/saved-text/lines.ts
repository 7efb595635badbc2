// Lines of a saved log, however its bytes are cut into pieces; a longer line than any program writes keeps its head only.

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const MOST_BYTES = 65_536;

export interface LineOfText {
  readonly text: string;
  /** From 1; what a return printed over is of the same line. */
  readonly number: number;
}

/** Bytes in, the lines that end in them out; the same however they are cut. */
export class LineCutter {
  #parts: Buffer[] = [];
  #length = 0;
  #number = 1;
  #cut = 0;

  /** Lines of which only the head was kept. */
  get cutLines(): number {
    return this.#cut;
  }

  /** A line has begun that did not end yet. */
  get inLine(): boolean {
    return this.#length > 0;
  }

  /** Between two lines: so many that are not handed over. */
  pass(lines: number): void {
    this.#number += lines;
  }

  push(chunk: Buffer): LineOfText[] {
    const lines: LineOfText[] = [];
    let newline = chunk.indexOf(NEWLINE);
    let back = chunk.indexOf(RETURN);
    let from = 0;
    while (newline >= 0 || back >= 0) {
      const ends = back < 0 || (newline >= 0 && newline < back);
      const end = ends ? newline : back;
      this.#take(chunk.subarray(from, end));
      this.#give(lines);
      if (ends) this.#number += 1;
      from = end + 1;
      if (ends) newline = chunk.indexOf(NEWLINE, from);
      else back = chunk.indexOf(RETURN, from);
    }
    this.#take(Buffer.from(chunk.subarray(from)));
    return lines;
  }

  /** The last line, which no newline ends. */
  end(): LineOfText[] {
    const lines: LineOfText[] = [];
    this.#give(lines);
    return lines;
  }

  #take(bytes: Buffer): void {
    const room = MOST_BYTES - this.#length;
    if (bytes.length > room && room > 0) this.#cut += 1;
    if (room <= 0 || bytes.length === 0) return;
    this.#parts.push(bytes.subarray(0, room));
    this.#length += Math.min(bytes.length, room);
  }

  /** Between return and newline there is nothing, and no line either; of a hole in the file, zero bytes. */
  #give(lines: LineOfText[]): void {
    if (this.#length === 0) return;
    const [only] = this.#parts;
    const bytes = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts, this.#length);
    this.#parts = [];
    this.#length = 0;
    let from = 0;
    while (from < bytes.length && bytes[from] === 0) from += 1;
    if (from < bytes.length) lines.push({ text: bytes.toString('utf8', from), number: this.#number });
  }
}
