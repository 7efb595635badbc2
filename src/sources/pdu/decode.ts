// Turns one SNMP value into SI, a word, or null. Pure; any value of any type gives an answer, never an exception.

import type { ReadingState } from '../../model/reading.ts';
import type { Absent } from './catalogue.ts';

/** An SNMP value as the protocol library hands it over; null also stands for noSuchObject and noSuchInstance. */
export type RawValue = unknown;

const NUMBER_TEXT = /^-?\d{1,15}(?:\.\d{1,9})?$/;
const MOST_LABEL = 64;

/** INTEGER, Gauge, Counter, TimeTicks; Counter64 (bytes) by type; numbers that an agent sends as text. */
export function rawNumber(value: RawValue, counter64 = false): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return Number(value);
  if (Buffer.isBuffer(value)) {
    if (counter64) return value.length < 1 || value.length > 9 ? null : Number(BigInt(`0x${value.toString('hex')}`));
    return value.length > 32 ? null : rawNumber(value.toString('latin1'));
  }
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return NUMBER_TEXT.test(text) ? Number(text) : null;
}

/** A name or serial: printable characters only, trimmed, at most 64; null when nothing is left. */
export function rawText(value: RawValue): string | null {
  const text = Buffer.isBuffer(value)
    ? value.subarray(0, 256).toString('utf8')
    : typeof value === 'string'
      ? value
      : '';
  const clean = text
    .slice(0, 256)
    .replace(/[\p{Cc}\ufffd]/gu, '')
    .trim();
  return clean === '' ? null : clean.slice(0, MOST_LABEL);
}

/** The largest values of 32 and 64 bits, signed and not: what firmware gives for what it cannot measure. */
const MAXIMA: ReadonlySet<number> = new Set([2 ** 31 - 1, -(2 ** 31), 2 ** 32 - 1, 2 ** 63 - 1, 2 ** 64 - 1]);
/** The same of 16 bits, which nothing but a count of energy comes by. */
const SHORT_MAXIMA: ReadonlySet<number> = new Set([2 ** 15 - 1, -(2 ** 15), 2 ** 16 - 1]);

/** SI value of a reading; null where the device says that it does not know (rule `absent` of its catalogue). */
export function decodeReading(
  value: RawValue,
  scale: readonly [number, number],
  absent: Absent,
  counter64 = false,
  counts = false,
): number | null {
  const raw = rawNumber(value, counter64);
  if (raw === null || (absent === 'negative' ? raw < 0 : absent !== 'none' && absent.includes(raw))) return null;
  if (MAXIMA.has(raw) || (!counts && SHORT_MAXIMA.has(raw))) return null;
  return (raw * scale[0]) / scale[1];
}

/** The word for an enumerated value: null when the object is absent, "unknown" for a number that the table lacks. */
export function decodeWord(value: RawValue, words: Readonly<Record<string, string>>): string | null {
  const raw = rawNumber(value);
  if (raw === null) return null;
  return Object.hasOwn(words, String(raw)) ? (words[String(raw)] ?? 'unknown') : 'unknown';
}

const CONDITIONS: readonly ReadingState[] = ['low_warning', 'low_critical', 'high_warning', 'high_critical'];

/** A load state or condition in the vocabulary of readings. */
export function readingState(loadState: string): ReadingState {
  const condition = CONDITIONS.find((word) => word === loadState);
  if (condition !== undefined) return condition;
  if (loadState === 'normal') return 'normal';
  if (loadState === 'low_load') return 'low_warning';
  if (loadState === 'near_overload') return 'high_warning';
  return loadState === 'overload' ? 'high_critical' : 'unknown';
}

/** Value after a token of sysDescr: "AP8853" for "MN" in "... MN:AP8853 HR:02 ..."; null when it is not there. */
export function descriptionToken(description: string, token: string): string | null {
  for (const match of description.slice(0, 1024).matchAll(/(?:^|[\s(])([A-Z0-9]{2,4}): ?([^\s)]+)/g)) {
    if (match[1] === token) return rawText(match[2]);
  }
  return null;
}
