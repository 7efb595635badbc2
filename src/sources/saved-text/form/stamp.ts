// Stamp: the time before a line of a saved log, as it is written there: with or without year and zone, or since boot.

import { monthOf } from './month.ts';

export type Stamp =
  /** Of the calendar, read as if it were UTC where it names no zone; of the year 1972 where it names none. */
  | { readonly kind: 'wall'; readonly utcMs: number; readonly digits: number; readonly zoned: boolean; readonly yearless: boolean } // biome-ignore format: one case a line
  /** Since the host started, on the clock that stops while it sleeps. */
  | { readonly kind: 'boot'; readonly ms: number; readonly digits: number }
  /** Since the line before (`dmesg --reltime`). */
  | { readonly kind: 'after'; readonly ms: number; readonly digits: number };

/** A leap year: 29 February can be written without its year. */
export const YEARLESS = 1972;

export const ISO = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d)| UTC)?`;
/** "Feb 14 05:03:41", "Okt 06 17:59:27", "Feb 27 2025 14:10:02"; the months in any language, also numbers with the word for month. */
export const BSD = String.raw`(?:\p{L}{3,5}\.?|\d{1,2}[\u6708\uc6d4]) {1,2}\d{1,2} (?:\d{4} )?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?`;
/**
 * "Mon Jan 27 19:27:15 2020", with a zone's name behind the time where a program prints one; "dim. 19 avril 18:03:30 2026" where the
 * language has the day first, in Chinese, Japanese and Korean a weekday of one sign and a month by its number.
 */
export const CTIME = String.raw`\p{L}{1,4}\.? {1,2}(?:(?:\p{L}{3,5}\.?|\d{1,2}[\u6708\uc6d4]) {1,2}\d{1,2}|\d{1,2}\.? \p{L}{3,10}\.?) \d\d:\d\d:\d\d(?: [A-Z]{2,5})? \d{4}`;

const ISO_PARTS = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?(?: ?(Z|[+-]\d\d:?\d\d)| (UTC))?$/;
const BSD_PARTS = /^(\S{1,6}) {1,2}(\d{1,2}) (?:(\d{4}) )?(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?$/u;
const CTIME_PARTS =
  /^\S{1,5} {1,2}(?:(\p{L}\S{2,5}|\d{1,2}[\u6708\uc6d4]) {1,2}(\d{1,2})|(\d{1,2})\.? (\p{L}\S{2,10})) (\d\d):(\d\d):(\d\d)(?: ([A-Z]{2,5}))? (\d{4})$/u;

/** Null where it is none of the three, or no day of the calendar. */
export function wallStamp(text: string): Stamp | null {
  return isoStamp(text) ?? bsdStamp(text) ?? ctimeStamp(text);
}

function isoStamp(text: string): Stamp | null {
  const [, day, clock = '', fraction = '', zone, utc] = ISO_PARTS.exec(text) ?? [];
  if (day === undefined) return null;
  const whole = instantOf(`${day}T`, clock, zone ?? 'Z');
  return wall(whole, fraction, { zoned: (zone ?? utc) !== undefined, yearless: false });
}

/** The hour of the last line: nearly all lines are of the same one as the line before. */
let lastHour = { text: '', ms: 0 };

/** `clock`: hours, minutes and seconds, as a pattern found them. */
function instantOf(day: string, clock: string, zone: string): number {
  const hour = `${day}${clock.slice(0, 2)}:00:00${zone}`;
  if (lastHour.text !== hour) lastHour = { text: hour, ms: Date.parse(hour) };
  const [minutes, seconds] = [Number(clock.slice(3, 5)), Number(clock.slice(6, 8))];
  return minutes > 59 || seconds > 59 ? Number.NaN : lastHour.ms + 60_000 * minutes + 1000 * seconds;
}

function bsdStamp(text: string): Stamp | null {
  const [, month = '', day, year, hour, minute, second, fraction = ''] = BSD_PARTS.exec(text) ?? [];
  if (day === undefined) return null;
  const whole = dateOf(year ?? YEARLESS, month, day, [hour, minute, second]);
  return wall(whole, fraction, { zoned: false, yearless: year === undefined });
}

function ctimeStamp(text: string): Stamp | null {
  const [, before, behind, first, name, hour, minute, second, zone, year] = CTIME_PARTS.exec(text) ?? [];
  const [month, day] = [before ?? name, behind ?? first];
  if (month === undefined || day === undefined || year === undefined) return null;
  return wall(dateOf(year, month, day, [hour, minute, second]), '', {
    zoned: zone === 'UTC' || zone === 'GMT',
    yearless: false,
  });
}

function dateOf(year: string | number, month: string, day: string, clock: readonly (string | undefined)[]): number {
  const date = `${year} ${month} ${day}`;
  if (lastDate.text !== date) lastDate = { text: date, day: dayOf(year, month, day) };
  return lastDate.day === null ? Number.NaN : instantOf(lastDate.day, clock.join(':'), 'Z');
}

let lastDate: { readonly text: string; readonly day: string | null } = { text: '', day: null };

function dayOf(year: string | number, month: string, day: string): string | null {
  const number = monthOf(month);
  if (number === null) return null;
  const two = (part: string | number): string => String(part).padStart(2, '0');
  return `${year}-${two(number)}-${two(day)}T`;
}

function wall(
  wholeMs: number,
  fraction: string,
  { zoned, yearless }: { zoned: boolean; yearless: boolean },
): Stamp | null {
  if (Number.isNaN(wholeMs)) return null;
  const utcMs = wholeMs + (fraction === '' ? 0 : Number(`0.${fraction}`) * 1000);
  return { kind: 'wall', utcMs, digits: fraction.length, zoned, yearless };
}

/** `fraction`: the digits behind the point. */
export function bootStamp(seconds: string, fraction = ''): Stamp {
  return { kind: 'boot', ms: Number(`${seconds}.${fraction || '0'}`) * 1000, digits: fraction.length };
}
