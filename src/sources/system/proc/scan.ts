// Scanning of procfs text by position: no pattern, no list of lines, and bounds that hostile text cannot pass.

const MAX_LINES = 4096;
const MAX_FIELDS = 64;
/** 2^64 has 20 digits. */
const MAX_DIGITS = 20;
const SPACE = 0x20;
const TAB = 0x09;
const NEWLINE = 0x0a;
const ZERO = 0x30;

/** Calls `visit` with the bounds of each line, at most 4096. */
export function eachLine(text: string, visit: (from: number, to: number) => void): void {
  let from = 0;
  for (let count = 0; from < text.length && count < MAX_LINES; count += 1) {
    const newline = text.indexOf('\n', from);
    const to = newline < 0 ? text.length : newline;
    if (to > from) visit(from, to);
    from = to + 1;
  }
}

/** First position from `at` that is neither space nor tab. */
export function skipBlank(text: string, at: number): number {
  let i = at;
  while (text.charCodeAt(i) === SPACE || text.charCodeAt(i) === TAB) i += 1;
  return i;
}

/** First position from `at` that is a space, a tab or the end of the line. */
export function endOfWord(text: string, at: number): number {
  let i = at;
  for (; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === SPACE || code === TAB || code === NEWLINE) break;
  }
  return i;
}

/** The unsigned decimal that fills [from, to); null when anything else is there or it has more digits than 64 bits hold. */
function numberAt(text: string, from: number, to: number): number | null {
  if (to === from || to - from > MAX_DIGITS) return null;
  let value = 0;
  for (let i = from; i < to; i += 1) {
    const digit = text.charCodeAt(i) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return null;
    value = value * 10 + digit;
  }
  return value;
}

/** Unsigned decimals from `at` to the end of the line, up to the first word that is none. */
export function numbersAt(text: string, at: number): number[] {
  const found: number[] = [];
  let i = skipBlank(text, at);
  while (i < text.length && text.charCodeAt(i) !== NEWLINE && found.length < MAX_FIELDS) {
    const end = endOfWord(text, i);
    const value = numberAt(text, i, end);
    if (value === null) break;
    found.push(value);
    i = skipBlank(text, end);
  }
  return found;
}

/** Where the line that starts with `label` begins; -1 when none does. */
export function lineOf(text: string, label: string): number {
  if (text.startsWith(label)) return 0;
  const at = text.indexOf(`\n${label}`);
  return at < 0 ? -1 : at + 1;
}

/** The number behind `label` where a line starts with it ("btime ", "MemTotal:"); null when no line does. */
export function labelled(text: string, label: string): number | null {
  const line = lineOf(text, label);
  if (line < 0) return null;
  const at = skipBlank(text, line + label.length);
  return numberAt(text, at, endOfWord(text, at));
}
