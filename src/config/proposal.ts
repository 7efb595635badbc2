// Proposal: what to write instead of a value that is refused; never anything that would be refused itself, or means the opposite.

import { didYouMean } from '../helpers/did-you-mean.ts';
import { parseDuration, parseSize } from './quantity.ts';
import type { SchemaNode } from './schema-parts.ts';

/** What users write for a switch, besides the schema's own words. */
const YES: readonly string[] = ['yes', 'y', 'true', 'on', '1', 'enabled', 'enable', 'always'];
const NO: readonly string[] = ['no', 'n', 'false', 'off', '0', 'disabled', 'disable', 'never', 'none'];
/** Words for units, by the unit of the schema. */
const UNIT_WORDS: Readonly<Record<string, readonly string[]>> = {
  ms: ['ms', 'msec', 'msecs', 'millis', 'millisecond', 'milliseconds'],
  s: ['s', 'sec', 'secs', 'second', 'seconds'],
  m: ['m', 'min', 'mins', 'minute', 'minutes'],
  h: ['h', 'hr', 'hrs', 'hour', 'hours'],
  d: ['d', 'day', 'days'],
  B: ['b', 'byte', 'bytes'],
  KiB: ['k', 'kb', 'kib'],
  MiB: ['m', 'mb', 'mib'],
  GiB: ['g', 'gb', 'gib'],
};
const DURATION_UNITS = ['s', 'm', 'h', 'd', 'ms'];
const SIZE_UNITS = ['MiB', 'GiB', 'KiB', 'B'];

/**
 * The text to write for `given` under `schema`; null where none is worth a word. `accepts` says whether the schema takes a
 * text as it would be written.
 */
export function propose(given: unknown, schema: SchemaNode, accepts: (text: string) => boolean): string | null {
  return candidates(given, schema).find(accepts) ?? null;
}

function candidates(given: unknown, schema: SchemaNode): readonly string[] {
  const scalar = typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean';
  const text = scalar ? String(given).trim() : '';
  const types = [schema.type].flat();
  if (types.includes('boolean')) return switchWord(text, 'true', 'false');
  if (schema.enum !== undefined) return choices(text, schema.enum.map(String), exampleOf(schema));
  if (schema.durationRange !== undefined)
    return [
      ...withUnit(text, schema, DURATION_UNITS),
      ...bound(text, schema.durationRange, parseDuration),
      ...exampleOf(schema),
    ];
  if (schema.sizeRange !== undefined)
    return [...withUnit(text, schema, SIZE_UNITS), ...bound(text, schema.sizeRange, parseSize), ...exampleOf(schema)];
  return [...address(text, schema), ...exampleOf(schema)];
}

function switchWord(text: string, yes: string, no: string): readonly string[] {
  const word = text.toLowerCase();
  return YES.includes(word) ? [yes] : NO.includes(word) ? [no] : [];
}

function choices(text: string, words: readonly string[], example: readonly string[]): readonly string[] {
  const isSwitch = words.includes('on') && words.includes('off');
  const meant = isSwitch ? switchWord(text, 'on', 'off') : [];
  const word = text.toLowerCase();
  // "warning" for "warn": one is the beginning of the other.
  const begun = word.length < 2 ? [] : words.filter((each) => each.startsWith(word) || word.startsWith(each));
  const near = text.length > 1 ? didYouMean(text, words) : null;
  // A switch has no standard that could be meant by a word that says neither.
  return [
    ...meant,
    ...(begun.length === 1 ? begun : []),
    ...(near === null ? [] : [near]),
    ...(isSwitch ? [] : example),
  ];
}

/** A bare number has the unit of the standard, else the first that fits; other words for a unit become its own. */
function withUnit(text: string, schema: SchemaNode, units: readonly string[]): readonly string[] {
  const [, number, word = ''] = /^(\d{1,9}(?:\.\d{1,3})?)\s*([A-Za-z]*)$/.exec(text) ?? [];
  if (number === undefined) return [];
  if (word !== '')
    return units.filter((unit) => UNIT_WORDS[unit]?.includes(word.toLowerCase())).map((unit) => number + unit);
  const standard = /[A-Za-z]+$/.exec(String(exampleOf(schema)[0] ?? ''))?.[0];
  return [...(standard === undefined ? [] : [number + standard]), ...units.map((unit) => number + unit)];
}

/** The end of the range that the value lies beyond. */
function bound(
  text: string,
  range: { readonly min: string; readonly max: string },
  parse: (text: string) => number | null,
): readonly string[] {
  const value = parse(text);
  if (value === null) return [];
  return [value < (parse(range.min) ?? 0) ? range.min : range.max];
}

/** Without its scheme, or with a path behind it. */
function address(text: string, schema: SchemaNode): readonly string[] {
  if (schema.origin !== true || text === '' || text.includes('@')) return [];
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  return url === null ? [] : [`${url.protocol}//${url.host}`];
}

/** The schema's example or standard, as it would be written; empty where there is none. */
export function exampleOf(schema: SchemaNode | undefined): readonly string[] {
  const example = schema?.examples?.[0] ?? schema?.default;
  return example === undefined || typeof example === 'object' ? [] : [String(example)];
}

/**
 * The duration, ms, that the value at `pointer`, of the schema `own`, must not exceed for what is written, or is the default,
 * next to it; null for none.
 */
export function longestAllowed(pointer: string, own: SchemaNode, value: unknown, schema: SchemaNode): number | null {
  const other = own.notLongerThan;
  if (other === undefined) return null;
  const steps = pointer.split('/').slice(1, -1);
  let [at, node]: [unknown, SchemaNode | undefined] = [value, schema];
  for (const step of steps) {
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[step] : undefined; // not null: has keys
    node = node?.properties?.[step];
  }
  const given = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[other] : undefined; // as above
  return parseDuration(String(given)) ?? parseDuration(exampleOf(node?.properties?.[other])[0] ?? '');
}
