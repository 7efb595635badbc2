// Reads the numbers that training frameworks print: thousands separators, exponents, "current/average", nan and inf.

/** A finite number, or the three values that are none, as contracts.md writes them. */
export type LoggedNumber = number | 'nan' | 'inf' | '-inf';

const NUMBER = /^[+-]?(?:\d+(?:,\d{3})*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?/;
const MAX_LENGTH = 40;

/** The number that the text starts with ("13372.8/13364.7", "30,768", "9.46GiB"); null when there is none. */
export function readNumber(text: string): LoggedNumber | null {
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
