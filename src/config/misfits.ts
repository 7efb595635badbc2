// What of a value does not fit a schema: the words of JSON Schema that the configuration uses, walked as they stand.
//
// The library that the tests hold this against compiles a schema into code first, which cost the start of the daemon 0.4 s.

import { pointerStep } from './pointer.ts';
import { parseDuration, parseSize } from './quantity.ts';
import type { SchemaNode } from './schema-parts.ts';

/** A word of the schema that a value breaks. */
export interface Misfit {
  readonly keyword: string;
  /** JSON pointer of the value. */
  readonly at: string;
  readonly data: unknown;
  /** The node that has the word. */
  readonly schema: SchemaNode;
  /** The key that is missing or not known, where the keyword is `required` or `additionalProperties`. */
  readonly key?: string;
  /** Of `minLength`, `maxLength`, `minItems` and `maxItems`. */
  readonly limit?: number;
}

type Report = (keyword: string, more?: Pick<Misfit, 'key' | 'limit'>) => void;

/** All of them, outer before inner, in the order of the schema's keys. */
export function misfits(value: unknown, schema: SchemaNode): readonly Misfit[] {
  const found: Misfit[] = [];
  walk(value, schema, '', found);
  return found;
}

function walk(data: unknown, schema: SchemaNode, at: string, found: Misfit[]): void {
  const report: Report = (keyword, more) => void found.push({ keyword, at, data, schema, ...more });
  const types = [schema.type].flat();
  if (!types.some((type) => isOf(type, data))) report('type');
  if (typeof data === 'number') ofNumber(data, schema, report);
  if (typeof data === 'string') ofText(data, schema, report);
  if (schema.enum?.includes(data) === false) report('enum');
  if (Array.isArray(data)) ofList(data, schema, at, found, report);
  else if (typeof data === 'object' && data !== null) ofSection({ ...data }, schema, at, found, report);
}

function isOf(type: string, data: unknown): boolean {
  switch (type) {
    case 'object':
      return typeof data === 'object' && data !== null && !Array.isArray(data);
    case 'array':
      return Array.isArray(data);
    case 'integer':
      return Number.isInteger(data);
    case 'number':
      return Number.isFinite(data);
    case 'null':
      return data === null;
    default:
      return typeof data === type;
  }
}

function ofNumber(data: number, { minimum, maximum }: SchemaNode, report: Report): void {
  if (!Number.isFinite(data)) return;
  if (maximum !== undefined && data > maximum) report('maximum');
  if (minimum !== undefined && data < minimum) report('minimum');
}

function ofText(data: string, schema: SchemaNode, report: Report): void {
  const { minLength, maxLength, pattern, durationRange, sizeRange } = schema;
  const long = minLength === undefined && maxLength === undefined ? 0 : [...data].length;
  if (maxLength !== undefined && long > maxLength) report('maxLength', { limit: maxLength });
  if (minLength !== undefined && long < minLength) report('minLength', { limit: minLength });
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(data)) report('pattern');
  if (durationRange !== undefined && !isWithin(data, durationRange, parseDuration)) report('durationRange');
  if (sizeRange !== undefined && !isWithin(data, sizeRange, parseSize)) report('sizeRange');
}

function isWithin(
  text: string,
  range: { readonly min: string; readonly max: string },
  parse: (text: string) => number | null,
): boolean {
  const value = parse(text);
  const min = parse(range.min) ?? 0;
  const max = parse(range.max) ?? Number.POSITIVE_INFINITY;
  return value === null || (value >= min && value <= max); // no quantity at all is the pattern's to say
}

function ofList(data: readonly unknown[], schema: SchemaNode, at: string, found: Misfit[], report: Report): void {
  const { items, maxItems, minItems } = schema;
  if (maxItems !== undefined && data.length > maxItems) report('maxItems', { limit: maxItems });
  if (minItems !== undefined && data.length < minItems) report('minItems', { limit: minItems });
  if (items === undefined) return;
  for (const [i, item] of data.entries()) walk(item, items, at + pointerStep(i), found);
}

function ofSection(
  data: Readonly<Record<string, unknown>>,
  { required, properties, additionalProperties }: SchemaNode,
  at: string,
  found: Misfit[],
  report: Report,
): void {
  for (const key of required ?? []) if (data[key] === undefined) report('required', { key });
  if (properties === undefined) return;
  if (additionalProperties === false)
    for (const key of Object.keys(data)) if (!Object.hasOwn(properties, key)) report('additionalProperties', { key });
  for (const [key, inner] of Object.entries(properties))
    if (data[key] !== undefined) walk(data[key], inner, at + pointerStep(key), found);
}
