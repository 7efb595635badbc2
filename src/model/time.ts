// Time: epoch milliseconds as a float64 (good to a fraction of a microsecond), with the digits the source had.

/** When something happened, as far as its source knows: somewhere in [earliestMs, latestMs]. */
export interface Interval {
  readonly earliestMs: number;
  readonly latestMs: number;
}

/**
 * Epoch ms on a clock that no step of the wall clock moves: wall time at the start of this process plus monotonic since. For
 * what commands measure; the daemon goes by its core's.
 */
export function steadyNow(): number {
  return performance.timeOrigin + performance.now();
}

/** True when `a` certainly came before `b`. */
export function precedes(a: Interval, b: Interval): boolean {
  return a.latestMs < b.earliestMs;
}

/**
 * RFC 3339 in UTC with `digits` fractional digits (0 to 9), as many as the source had. A float64 of epoch milliseconds
 * carries about 6; further digits are zeros.
 */
export function formatTime(epochMs: number, digits = 3): string {
  let seconds = Math.floor(epochMs / 1000);
  const scale = 10 ** Math.min(digits, 6);
  const exact = (epochMs - seconds * 1000) * (scale / 1000);
  // Of more digits than there is room for, the first ones are kept as they are.
  let fraction = digits > 6 ? Math.floor(exact + FLOAT_ERROR) : Math.round(exact);
  if (fraction >= scale) {
    seconds += 1;
    fraction = 0;
  }
  const base = `${dayText(Math.floor(seconds / DAY_S))}T${clockText(seconds)}`;
  if (digits === 0) return `${base}Z`;
  return `${base}.${String(fraction).padStart(Math.min(digits, 6), '0').padEnd(digits, '0')}Z`;
}

const DAY_S = 86_400;
/** Of a float64 of epoch milliseconds, in microseconds: half of its last digit. */
const FLOAT_ERROR = 0.123;
const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));
let lastDay = Number.NaN;
let lastDayText = '';

/** The date of a day since the epoch; kept, for one document says the same date hundreds of times. Throws RangeError. */
function dayText(day: number): string {
  if (day !== lastDay) {
    const iso = new Date(day * DAY_S * 1000).toISOString();
    lastDayText = iso.slice(0, iso.indexOf('T'));
    lastDay = day;
  }
  return lastDayText;
}

function clockText(epochS: number): string {
  const second = ((epochS % DAY_S) + DAY_S) % DAY_S;
  const [h, m, s] = [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60];
  return `${TWO_DIGITS[h]}:${TWO_DIGITS[m]}:${TWO_DIGITS[s]}`;
}

/** How our own documents write times: of these `Date.parse` knows all, and a pattern costs several times as much. */
const OWN_FORM = '0000-00-00T00:00:00.000Z';
const ZERO = 48;
const NINE = 57;

function isOwnForm(text: string): boolean {
  if (text.length !== OWN_FORM.length) return false;
  for (let at = 0; at < OWN_FORM.length; at += 1) {
    const wanted = OWN_FORM.charCodeAt(at);
    const code = text.charCodeAt(at);
    if (wanted === ZERO ? code < ZERO || code > NINE : code !== wanted) return false;
  }
  return true;
}

/** Reads RFC 3339; null when the text is none. Keeps up to nanoseconds as far as float64 can. */
export function parseTime(text: string): { epochMs: number; digits: number } | null {
  if (isOwnForm(text)) {
    const epochMs = Date.parse(text);
    return Number.isNaN(epochMs) ? null : { epochMs, digits: 3 };
  }
  const match = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|z|[+-]\d\d:?\d\d)$/.exec(text);
  if (!match) return null;
  const whole = Date.parse(`${match[1]}T${match[2]}${match[4]}`);
  if (Number.isNaN(whole)) return null;
  const fraction = match[3] ?? '';
  return { epochMs: whole + (fraction === '' ? 0 : Number(`0.${fraction}`) * 1000), digits: fraction.length };
}
