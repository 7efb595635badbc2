// LineSplitter: bytes in, whole lines with their offsets out; lines may be cut anywhere, be endless, or start in a hole.

const NEWLINE = 0x0a;
/** A longer line is cut: its head is handed over, the rest skipped. */
const MAX_LINE_BYTES = 65_536;

export interface SplitLine {
  readonly text: string;
  /** Byte offset of the line in its file. */
  readonly offset: number;
}

export class LineSplitter {
  /** Offset of the next byte to come. */
  #next: number;
  #parts: Buffer[] = [];
  #length = 0;
  /** Offset of the open line. */
  #start: number;
  #skipping: boolean;
  #cut = 0;

  /** `skipFirst`: the offset is inside a line, whose rest is not wanted. */
  constructor(offset: number, skipFirst = false) {
    this.#next = offset;
    this.#start = offset;
    this.#skipping = skipFirst;
  }

  /** Where to read on. */
  get offset(): number {
    return this.#next;
  }

  /** Lines that were longer than 64 KiB. */
  get cutLines(): number {
    return this.#cut;
  }

  /** The lines that end in this chunk. */
  push(chunk: Buffer): SplitLine[] {
    const lines: SplitLine[] = [];
    let from = 0;
    while (from < chunk.length) {
      const end = chunk.indexOf(NEWLINE, from);
      this.#take(chunk.subarray(from, end < 0 ? chunk.length : end), lines);
      if (end < 0) break;
      if (this.#skipping) this.#skipping = false;
      else lines.push(this.#line());
      this.#open(this.#next + end + 1);
      from = end + 1;
    }
    this.#next += chunk.length;
    return lines;
  }

  #take(bytes: Buffer, lines: SplitLine[]): void {
    if (this.#skipping) return;
    const wanted = this.#length === 0 ? withoutHole(bytes) : bytes;
    const room = MAX_LINE_BYTES - this.#length;
    // A copy: the caller reads the next chunk into the same memory.
    this.#parts.push(Buffer.from(wanted.subarray(0, room)));
    this.#length += Math.min(wanted.length, room);
    if (wanted.length <= room) return;
    this.#cut += 1;
    lines.push(this.#line());
    this.#open(this.#start);
    this.#skipping = true;
  }

  #line(): SplitLine {
    const text = Buffer.concat(this.#parts, this.#length).toString('utf8');
    return { text: lastOverprint(text), offset: this.#start };
  }

  #open(offset: number): void {
    this.#parts = [];
    this.#length = 0;
    this.#start = offset;
  }
}

/** A writer that keeps its position over a truncation leaves a hole of zero bytes before its next line. */
function withoutHole(bytes: Buffer): Buffer {
  let from = 0;
  while (from < bytes.length && bytes[from] === 0) from += 1;
  return bytes.subarray(from);
}

/** What a terminal shows of a line that a progress bar wrote over again and again: the part after the last return. */
function lastOverprint(text: string): string {
  const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
  return whole.slice(whole.lastIndexOf('\r') + 1);
}
