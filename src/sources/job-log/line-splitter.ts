// LineSplitter: bytes in, whole lines with their offsets out; lines may be cut anywhere, be endless, overprinted, or start in a hole.

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BRACKET = 0x5d;
/** A longer line is cut: its head is handed over, the rest skipped. */
const MAX_LINE_BYTES = 65_536;

export interface SplitLine {
  readonly text: string;
  /** Byte offset of the line in its file. */
  readonly offset: number;
}

/** What a return ended: a progress bar that will be printed over, or a line whose newline has not come yet. */
interface Printed extends SplitLine {
  taken: boolean;
}

/**
 * A progress bar prints one line over and over and may not end it for hours. Of such a line the newest whole print is handed
 * over with each chunk, and with the newline what stood there last and what stood there before.
 */
export class LineSplitter {
  /** Offset of the next byte to come. */
  #next: number;
  #parts: Buffer[] = [];
  #length = 0;
  /** Offset of the open print. */
  #start: number;
  /** Bytes of the open print that were handed over already. */
  #taken = 0;
  #skipping: boolean;
  #cut = 0;
  #last: Printed | null = null;
  #before: Printed | null = null;
  #over = false;

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

  /** A line has begun that did not end yet, or whose rest is not wanted. */
  get inLine(): boolean {
    return this.#length > 0 || this.#skipping || this.#over || this.#last !== null;
  }

  /** Between two lines: so many bytes of whole lines are not handed over. */
  pass(bytes: number): void {
    this.#next += bytes;
    this.#start = this.#next;
  }

  /**
   * Between two lines: the one of the chunk that is in `from` to `to`, its newline with it. Null, and nothing is taken, of one that is
   * printed over, has a hole or is too long: such a one goes the way of all parts, by `push`.
   */
  line(chunk: Buffer, from: number, to: number): SplitLine | null {
    if (chunk[to - 1] !== NEWLINE || chunk[from] === 0 || to - from > MAX_LINE_BYTES) return null;
    const text = chunk.toString('utf8', from, to - 1);
    if (text.includes('\r')) return null;
    const offset = this.#next;
    this.pass(to - from);
    return { text, offset };
  }

  /** Where the first line begins that is not whole yet. */
  get resumeAt(): number {
    return this.#length === 0 || this.#skipping ? this.#next : this.#start;
  }

  /** Lines that were longer than 64 KiB. */
  get cutLines(): number {
    return this.#cut;
  }

  /** The lines that end in this chunk, and the newest print of the one that does not. */
  push(chunk: Buffer): SplitLine[] {
    const lines: SplitLine[] = [];
    let [newline, back] = [chunk.indexOf(NEWLINE), chunk.indexOf(RETURN)];
    for (let from = 0; from < chunk.length; ) {
      if (newline >= 0 && newline < from) newline = chunk.indexOf(NEWLINE, from);
      if (back >= 0 && back < from) back = chunk.indexOf(RETURN, from);
      const ends = newline >= 0 && (back < 0 || newline < back);
      const end = ends ? newline : back;
      this.#take(chunk.subarray(from, end < 0 ? chunk.length : end), lines);
      if (end < 0) break;
      if (ends) this.#end(lines);
      else this.#return();
      this.#open(this.#next + end + 1);
      from = end + 1;
    }
    this.#next += chunk.length;
    this.#newest(lines);
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
    lines.push(this.#print());
    this.#open(this.#start);
    this.#skipping = true;
  }

  /** A newline: what was printed over before it, then the line. */
  #end(lines: SplitLine[]): void {
    const skipped = this.#skipping && !this.#over;
    if (!skipped) {
      const open =
        this.#length > 0 || this.#last === null
          ? { ...this.#print(), taken: this.#taken === this.#length && this.#taken > 0 }
          : null;
      for (const each of open === null ? [this.#before, this.#last] : [this.#last, open]) tell(each, lines);
    }
    this.#skipping = false;
    this.#over = false;
    this.#last = null;
    this.#before = null;
  }

  /** A return: what stood there can be printed over now. Blanks that wipe a bar away are nothing. */
  #return(): void {
    if (this.#skipping) {
      this.#skipping = false;
      this.#over = true;
      return;
    }
    this.#over = true;
    const print = this.#print();
    if (print.text.trim() === '') return;
    this.#before = this.#last;
    this.#last = { ...print, taken: this.#taken === this.#length };
  }

  /** At the end of a chunk: a line that is printed over has no other end for a long time. */
  #newest(lines: SplitLine[]): void {
    if (!this.#over) return;
    this.#before = null;
    tell(this.#last, lines);
    if (this.#length === 0 || this.#length === this.#taken || this.#skipping) return;
    // A bar begins with the return and ends with a bracket: it is whole, though the next one has not come.
    if (this.#parts.findLast((part) => part.length > 0)?.at(-1) !== BRACKET) return;
    this.#taken = this.#length;
    lines.push(this.#print());
  }

  #print(): SplitLine {
    return { text: Buffer.concat(this.#parts, this.#length).toString('utf8'), offset: this.#start };
  }

  #open(offset: number): void {
    this.#parts = [];
    this.#length = 0;
    this.#taken = 0;
    this.#start = offset;
  }
}

function tell(print: Printed | null, lines: SplitLine[]): void {
  if (print === null || print.taken) return;
  print.taken = true;
  lines.push({ text: print.text, offset: print.offset });
}

/** A writer that keeps its position over a truncation leaves a hole of zero bytes before its next line. */
function withoutHole(bytes: Buffer): Buffer {
  let from = 0;
  while (from < bytes.length && bytes[from] === 0) from += 1;
  return bytes.subarray(from);
}
