// Cursor: a hand tokeniser over one bounded line; every step is linear and none can throw.

const ZERO = 48;
const NINE = 57;

export function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

export class Cursor {
  readonly text: string;
  position: number;

  constructor(text: string, position = 0) {
    this.text = text;
    this.position = position;
  }

  get atEnd(): boolean {
    return this.position >= this.text.length;
  }

  rest(): string {
    return this.text.slice(this.position);
  }

  spaces(): this {
    while (this.text[this.position] === ' ' || this.text[this.position] === '\t') this.position += 1;
    return this;
  }

  /** Steps over `word` when it is next. */
  take(word: string): boolean {
    if (!this.text.startsWith(word, this.position)) return false;
    this.position += word.length;
    return true;
  }

  /** Steps behind the next `word`; stays where it is when there is none. */
  skipPast(word: string): boolean {
    const at = this.text.indexOf(word, this.position);
    if (at < 0) return false;
    this.position = at + word.length;
    return true;
  }

  /** The text up to `end` when it comes within `limit` characters, stepping behind it; null otherwise. */
  until(end: string, limit: number): string | null {
    const at = this.text.indexOf(end, this.position);
    if (at < 0 || at - this.position > limit) return null;
    const found = this.text.slice(this.position, at);
    this.position = at + end.length;
    return found;
  }

  /** A decimal number of at most `maxDigits` digits; null (and no step) when none or a longer one is next. */
  integer(maxDigits = 10): number | null {
    const from = this.position;
    let to = from;
    while (isDigit(this.text.charCodeAt(to))) to += 1;
    if (to === from || to - from > maxDigits) return null;
    this.position = to;
    return Number(this.text.slice(from, to));
  }

  /**
   * A hexadecimal number of at most 16 digits, with or without `0x`, lower case and without leading zeros ("0x1f"), so
   * that one address written in two widths is the same text; null when none is next.
   */
  hex(): string | null {
    const from = this.position;
    if (this.text.startsWith('0x', from)) this.position += 2;
    const start = this.position;
    while (isHexDigit(this.text.charCodeAt(this.position))) this.position += 1;
    const digits = this.text.slice(start, this.position).toLowerCase();
    if (digits.length >= 1 && digits.length <= 16) return `0x${trimZeros(digits)}`;
    this.position = from;
    return null;
  }
}

function isHexDigit(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}

function trimZeros(digits: string): string {
  let from = 0;
  while (from < digits.length - 1 && digits[from] === '0') from += 1;
  return digits.slice(from);
}
