// Time text: ISO 8601 with a zone as seconds since 1970. A file has one in each of its records, nearly all in one form.

const TIME =
  /^(\d{4}-\d\d-\d\d)[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d(?::?\d\d)?)$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Seconds since 1970, to the microsecond; NaN where it is none, or has no zone. */
export function timeOf(text: string): number {
  const plain = plainTimeOf(text);
  if (!Number.isNaN(plain)) return plain;
  const parts = TIME.exec(text);
  if (parts === null) return Number.NaN;
  const clockS = Number(parts[2]) * 3600 + Number(parts[3]) * 60 + Number(parts[4] ?? 0);
  const micros = Number((parts[5] ?? '').slice(0, 6).padEnd(6, '0'));
  return seconds(dayMs(parts[1] ?? ''), clockS - offsetS(parts[6] ?? 'Z'), micros);
}

function seconds(dayStartMs: number, clockS: number, micros: number): number {
  return ((dayStartMs / 1000 + clockS) * 1e6 + micros) / 1e6;
}

const DAY_END = 10;
const FORM = '2024-01-15T14:32:01.123Z';
const WHOLE_SECONDS = '2024-01-15T14:32:01Z';
const ZERO = '0'.charCodeAt(0);

/** Of a text in one of these two forms, without an expression; NaN for any other. */
function plainTimeOf(text: string): number {
  const { length } = text;
  if (length !== FORM.length && length !== WHOLE_SECONDS.length) return Number.NaN;
  const isForm = text[10] === 'T' && text[13] === ':' && text[16] === ':' && text[length - 1] === 'Z';
  if (!isForm || (length === FORM.length && text[19] !== '.')) return Number.NaN;
  const hours = digit(text, 11) * 10 + digit(text, 12);
  const minutes = digit(text, 14) * 10 + digit(text, 15);
  const secondsOf = digit(text, 17) * 10 + digit(text, 18);
  if (!(hours < 24 && minutes < 60 && secondsOf < 60)) return Number.NaN;
  const millis = length === FORM.length ? digit(text, 20) * 100 + digit(text, 21) * 10 + digit(text, 22) : 0;
  return seconds(dayMs(text.slice(0, DAY_END)), hours * 3600 + minutes * 60 + secondsOf, millis * 1000);
}

function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - ZERO;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}

/** The day that was asked for last: readings come by the thousand for each. */
let lastDay = { text: '', ms: Number.NaN };

/** When a day begins in UTC, ms since 1970; NaN for a day that no month has, which some parsers take for one of the next month. */
function dayMs(text: string): number {
  if (text !== lastDay.text) {
    const ms = DAY.test(text) ? Date.parse(text) : Number.NaN;
    const exists = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
    lastDay = { text, ms: exists ? ms : Number.NaN };
  }
  return lastDay.ms;
}

function offsetS(zone: string): number {
  if (zone === 'Z') return 0;
  const [hours = 0, minutes = 0, rest = 0] = (zone.slice(1).replaceAll(':', '').match(/\d\d/g) ?? []).map(Number);
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60 + rest);
}
