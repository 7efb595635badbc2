// Framing of syslog over a stream (RFC 6587): messages with their length before them, or a line each; told apart message by message.

const NEWLINE = 0x0a;
const ZERO_BYTE = 0;
const BLANK = 0x20;
const [ZERO, NINE] = [0x30, 0x39];
/** Of "LEN ": more digits are no length. */
const MOST_DIGITS = 6;
const MOST_MESSAGE = 65_536;

export class Framing {
  #held: Buffer = Buffer.alloc(0);
  /** Bytes of a message that is too long, still to be passed over; Infinity: until the line ends. */
  #skip = 0;
  /** Bytes of the line that was begun in which its end was looked for. */
  #looked = 0;
  /** Messages of which only the head was kept. */
  cut = 0;

  /** The messages that are whole with these bytes. Holds 64 KiB at most. */
  push(chunk: Buffer): string[] {
    const messages: string[] = [];
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    for (;;) {
      bytes = this.#passed(bytes);
      if (bytes.length === 0) break;
      const taken = this.#next(bytes, messages);
      if (taken === 0) break;
      bytes = bytes.subarray(taken);
    }
    this.#held = Buffer.from(bytes);
    return messages;
  }

  /** What was begun when the stream ended. */
  end(): string[] {
    const text = this.#skip > 0 ? '' : this.#held.toString('utf8').trimEnd();
    this.#held = Buffer.alloc(0);
    return text === '' || /^\d{1,6}( |$)/.test(text) ? [] : [text];
  }

  #passed(bytes: Buffer): Buffer {
    if (this.#skip === 0) return bytes;
    if (this.#skip === Number.POSITIVE_INFINITY) {
      const end = lineEnd(bytes, 0);
      if (end < 0) return Buffer.alloc(0);
      this.#skip = 0;
      return bytes.subarray(end + 1);
    }
    const passed = Math.min(this.#skip, bytes.length);
    this.#skip -= passed;
    return bytes.subarray(passed);
  }

  /** How many bytes the next message took; 0 where it is not whole. */
  #next(bytes: Buffer, messages: string[]): number {
    const first = bytes[0] ?? 0;
    if (first >= ZERO && first <= NINE) {
      const blank = bytes.subarray(0, MOST_DIGITS + 1).indexOf(BLANK);
      if (blank < 0 && bytes.length <= MOST_DIGITS) return 0;
      const digits = blank < 0 ? '' : bytes.toString('latin1', 0, blank);
      if (/^[1-9]\d*$/.test(digits)) return this.#counted(bytes, blank + 1, Number(digits), messages);
    }
    const end = lineEnd(bytes, this.#looked);
    this.#looked = 0;
    if (end >= 0) {
      if (end > 0) messages.push(bytes.toString('utf8', 0, Math.min(end, MOST_MESSAGE)).trimEnd());
      return end + 1;
    }
    if (bytes.length < MOST_MESSAGE) {
      this.#looked = bytes.length;
      return 0;
    }
    this.cut += 1;
    this.#skip = Number.POSITIVE_INFINITY;
    messages.push(bytes.toString('utf8', 0, MOST_MESSAGE));
    return bytes.length;
  }

  #counted(bytes: Buffer, at: number, length: number, messages: string[]): number {
    const kept = Math.min(length, MOST_MESSAGE);
    if (bytes.length < at + kept) return 0;
    messages.push(bytes.toString('utf8', at, at + kept).trimEnd());
    if (length > kept) {
      this.cut += 1;
      this.#skip = length - kept;
    }
    return at + kept;
  }
}

/** In one pass for both: the other one may be far away, or in none of the lines. */
function lineEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) if (bytes[at] === NEWLINE || bytes[at] === ZERO_BYTE) return at;
  return -1;
}
