// Reads the numbers that training frameworks print: thousands separators, exponents, "current/average", nan and inf.

/** A finite number, or the three values that are none, as contracts.md writes them. */
export type LoggedNumber = number | 'nan' | 'inf' | '-inf';

const NUMBER = /^[+-]?(?:\d+(?:,\d{3})*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?/;
const MAX_LENGTH = 40;

/** The number that the text starts with ("13372.8/13364.7", "30,768", "9.46GiB"); null when there is none. */
export function readNumber(text: string): LoggedNumber | null {
  const plain = readPlain(text);
  if (plain !== null) return plain;
  const head = text.trimStart().slice(0, MAX_LENGTH);
  const found = NUMBER.exec(head);
  if (found !== null) {
    const value = Number(found[0].replaceAll(',', ''));
    if (Number.isFinite(value)) return value;
    return value > 0 ? 'inf' : '-inf';
  }
  const word = /^[+-]?[a-z]+/i.exec(head)?.[0].toLowerCase().replace('+', '') ?? '';
  if (word === 'nan' || word === '-nan') return 'nan';
  if (word === 'inf' || word === 'infinity') return 'inf';
  return word === '-inf' || word === '-infinity' ? '-inf' : null;
}

const [BLANK, COMMA, MINUS, POINT, ZERO, NINE, UPPER_E, LOWER_E] = [32, 44, 45, 46, 48, 57, 69, 101];

/** What nearly all numbers are: a few digits, perhaps with a point. Null for any other, which is read by its pattern. */
function readPlain(text: string): number | null {
  let at = 0;
  while (text.charCodeAt(at) === BLANK) at += 1;
  const from = at;
  if (text.charCodeAt(at) === MINUS) at += 1;
  const first = text.charCodeAt(at);
  if (!(first >= ZERO && first <= NINE)) return null;
  let point = false;
  for (const last = Math.min(text.length, from + MAX_LENGTH - 1); at < last; at += 1) {
    const code = text.charCodeAt(at);
    if (code === POINT && !point) point = true;
    else if (code < ZERO || code > NINE) break;
  }
  if (at === from + MAX_LENGTH - 1) return null;
  const next = text.charCodeAt(at);
  return next === COMMA || next === UPPER_E || next === LOWER_E ? null : Number(text.slice(from, at));
}

/** The same where only a finite number makes sense. */
export function readFinite(text: string | undefined): number | null {
  const value = text === undefined ? null : readNumber(text);
  return typeof value === 'number' ? value : null;
}

/** "12", "12.0", "2e+3" as a count; null for what is none. */
export function readCount(text: string | undefined): number | null {
  const value = readFinite(text);
  return value !== null && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

export function isFiniteNumber(value: LoggedNumber | null): value is number {
  return typeof value === 'number';
}
