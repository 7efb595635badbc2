// Reads parts of JSON that a BMC sent: whatever is missing, null or of another type is null, never an exception.

import { countValues, cutTexts } from './bounds.ts';

const NUMBER_TEXT = /^[+-]?\d{1,15}(?:\.\d{1,12})?(?:e[+-]?\d{1,2})?$/i;
const MOST_LABEL = 96;
/** Longest list that is taken; a service that lists more is broken or hostile. */
const MOST_ITEMS = 512;
/** Places at which a document may begin. */
const MOST_TRIES = 9;

/** What is at `path` below `value`; undefined where the path ends early. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string | number, unknown>)[key]; // an own property of an object
  }
  return here;
}

/** A finite number, also as text; null for anything else ("N/A", "", true). */
export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | null {
  const found = at(value, ...path);
  if (typeof found === 'number') return Number.isFinite(found) ? found : null;
  if (typeof found !== 'string') return null;
  const text = found.trim();
  return NUMBER_TEXT.test(text) ? Number(text) : null;
}

/** Printable text, trimmed and bounded; a number is taken as its text (ids come both ways). Null when nothing is left. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string | null {
  return textUpTo(MOST_LABEL, value, ...path);
}

/** The same, of at most so many characters. */
export function textUpTo(most: number, value: unknown, ...path: readonly (string | number)[]): string | null {
  const found = at(value, ...path);
  const text = typeof found === 'number' ? String(found) : typeof found === 'string' ? found : '';
  const clean = text
    .slice(0, most * 4)
    .replace(/[\p{Cc}\ufffd]/gu, ' ')
    .trim();
  return clean === '' ? null : clean.slice(0, most);
}

/** A list, bounded; empty for anything else. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.slice(0, MOST_ITEMS) : [];
}

/**
 * The path that a reference names: `{"@odata.id": "/redfish/v1/Chassis/1"}`, the older `{"href": …}`, or plain text. The
 * fragment is cut off. Null for anything that does not stay on the same service.
 */
export function linkAt(value: unknown, ...path: readonly (string | number)[]): string | null {
  const found = at(value, ...path);
  const raw = typeof found === 'string' ? found : (at(found, '@odata.id') ?? at(found, 'href'));
  if (typeof raw !== 'string' || raw.length > 1024 || !/^\/(?!\/)[\x21-\x7e]*$/.test(raw)) return null;
  return raw.split('#', 1)[0] ?? null;
}

/** Links of a list of references, each once. */
export function linksAt(value: unknown, ...path: readonly (string | number)[]): string[] {
  const links = listAt(value, ...path).map((item) => linkAt(item));
  return [...new Set(links.filter((link) => link !== null))];
}

/** Links with and without a slash at the end name the same resource. */
export function sameLink(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a.replace(/\/+$/, '') === b.replace(/\/+$/, '');
}

/** Seconds of an ISO 8601 duration in days to seconds: "PT0S", "P1DT2H". Null when the text is none. */
export function durationAt(value: unknown, ...path: readonly (string | number)[]): number | null {
  const text = textAt(value, ...path);
  const match =
    text === null
      ? null
      : /^P(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/.exec(text);
  if (!match || text === 'P') return null;
  const [days, hours, minutes, seconds] = [1, 2, 3, 4].map((i) => Number(match[i] ?? 0));
  return (((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0);
}

export interface Parsed {
  /** Undefined where no document reads, or one is beyond the bounds. */
  readonly body: unknown;
  readonly values: number;
  readonly beyond: string | null;
}

/** One document, its long texts cut; also where an error object comes before the valid one (old firmware). */
export function parseBounded(text: string): Parsed {
  // What is text in the first document may be none in the second: each is counted by itself.
  for (let from = -1, tries = 0; tries < MOST_TRIES; tries += 1) {
    const document = text.slice(from + 1);
    const { values, beyond } = countValues(document);
    if (beyond !== null) return { body: undefined, values, beyond };
    try {
      return { body: cutTexts(JSON.parse(document)), values, beyond };
    } catch {
      from = text.indexOf('}{', from + 1);
      if (from < 0) break;
    }
  }
  return { body: undefined, values: 0, beyond: null };
}

export function parseBody(text: string): unknown {
  return parseBounded(text).body;
}
