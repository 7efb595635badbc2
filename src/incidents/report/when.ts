// When: times of day, spans and durations as people read them.

import type { Interval } from '../../model/time.ts';
import { numberText } from './quantity.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

const DAY_AND_CLOCK: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
};

function format(timeZone: string, key: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const known = formats.get(timeZone + key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', ...options });
  formats.set(timeZone + key, made);
  return made;
}

/** Dates that Intl takes; what is beyond is held at the border. */
function dateOf(epochMs: number): Date {
  return new Date(Number.isFinite(epochMs) ? Math.min(Math.max(epochMs, 0), 253_402_300_799_999) : 0);
}

/** Where no zone is to be looked up: the daemon's own words are in UTC, and Intl's tables would stay in its memory. */
const isUtc = (timeZone: string): boolean => timeZone === 'UTC';
const DAY_END = 10;
const CLOCK = DAY_END + 1;
const MINUTE_END = CLOCK + 5;
const SECOND_END = CLOCK + 8;
const TENTH_END = SECOND_END + 2;

/** `2026-11-27` */
export function dayText(epochMs: number, timeZone: string): string {
  if (isUtc(timeZone)) return dateOf(epochMs).toISOString().slice(0, DAY_END);
  const parts = format(timeZone, 'day', { year: 'numeric', month: '2-digit', day: '2-digit' }).formatToParts(
    dateOf(epochMs),
  );
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}

/** Both at once, as `2026-11-27 14:32:00`: lists have thousands of them. */
export function dayClockText(epochMs: number, timeZone: string): string {
  if (isUtc(timeZone)) return dateOf(epochMs).toISOString().slice(0, SECOND_END).replace('T', ' ');
  const text = format(timeZone, 'day and clock', DAY_AND_CLOCK).format(dateOf(epochMs));
  // "27/11/2026, 14:32:00", by the rules of en-GB.
  const [day = '', month = '', year = ''] = text.slice(0, text.indexOf(',')).split('/');
  return `${year}-${month}-${day} ${text.slice(text.indexOf(',') + 2)}`;
}

/** `14:32:00`, or with tenths `14:32:00.6`. */
export function clockText(epochMs: number, timeZone: string, tenths = false): string {
  if (isUtc(timeZone))
    return dateOf(epochMs)
      .toISOString()
      .slice(CLOCK, tenths ? TENTH_END : SECOND_END);
  const options: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit' };
  if (!tenths) return format(timeZone, 'clock', options).format(dateOf(epochMs));
  return format(timeZone, 'tenths', { ...options, fractionalSecondDigits: 1 }).format(dateOf(epochMs));
}

/** `11-28 ` where that is another day than the one that the report names at its head. */
export function otherDay(timeMs: number, openedMs: number, timeZone: string): string {
  const day = dayText(timeMs, timeZone);
  return day === dayText(openedMs, timeZone) ? '' : `${day.slice(5)} `;
}

/** `14:31` */
export function minuteText(epochMs: number, timeZone: string): string {
  if (isUtc(timeZone)) return dateOf(epochMs).toISOString().slice(CLOCK, MINUTE_END);
  return format(timeZone, 'minute', { hour: '2-digit', minute: '2-digit' }).format(dateOf(epochMs));
}

const WIDE_MS = 1000;

/** The best single time, or the interval where it is wider than a second, with the day of its beginning where it ends on another. */
export function spanText(timeMs: number, digits: number, interval: Interval, timeZone: string): string {
  const from = clockText(interval.earliestMs, timeZone);
  const to = clockText(interval.latestMs, timeZone);
  const day = dayText(interval.earliestMs, timeZone);
  if (day !== dayText(interval.latestMs, timeZone)) return `${day} ${from} … ${to}`;
  if (interval.latestMs - interval.earliestMs > WIDE_MS && from !== to) return `${from} … ${to}`;
  return clockText(timeMs, timeZone, digits > 0);
}

/** Below a tenth of a second, largest first. */
const SMALL = [
  { ms: 1, unit: 'ms' },
  { ms: 1e-3, unit: 'µs' },
  { ms: 1e-6, unit: 'ns' },
] as const;
const TENTH_MS = 100;

/** `85 ms`, `3.1 s`, `1 min 47 s`, `12 min`, `3 h 10 min`, `4 days`. */
export function durationText(ms: number): string {
  const seconds = Math.max(ms, 0) / 1000;
  const little = ms > 0 && ms < TENTH_MS ? (SMALL.find((each) => ms >= each.ms) ?? SMALL[2]) : undefined;
  if (little !== undefined) return `${numberText(ms / little.ms)} ${little.unit}`;
  if (seconds < 10) return `${numberText(seconds)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  if (seconds < 600) return pair(Math.round(seconds), 60, 'min', 's');
  if (seconds < 172_800)
    return seconds < 3570 ? `${Math.round(seconds / 60)} min` : pair(Math.round(seconds / 60), 60, 'h', 'min');
  return `${Math.floor(seconds / 86_400)} days`;
}

/** `3.1 s later`; of less than a millisecond, which is the order of two lines rather than a time, `right after`. */
export function laterText(lagMs: number): string {
  return lagMs < 1 ? 'right after' : `${durationText(lagMs)} later`;
}

function pair(total: number, base: number, large: string, little: string): string {
  const rest = total % base;
  return `${Math.floor(total / base)} ${large}${rest === 0 ? '' : ` ${rest} ${little}`}`;
}
