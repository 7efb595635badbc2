// Values: OTLP's attributes and bodies as plain values, bounded in number, length and depth.

import type { AttributeValue } from '../../../model/event.ts';
import type { AnyValue, KeyValue } from './shapes.ts';

const MOST_ATTRIBUTES = 128;
const LONGEST_TEXT = 1024;
const DEEPEST = 8;

/** Attributes that are scalars, by key; what is longer is cut, lists and nested values are left out. */
export function attributesOf(pairs: readonly KeyValue[] | undefined): Map<string, AttributeValue> {
  const found = new Map<string, AttributeValue>();
  for (const { key, value } of pairs?.slice(0, MOST_ATTRIBUTES) ?? []) {
    const known = value === undefined ? undefined : scalarOf(value);
    if (key !== undefined && key !== '' && known !== undefined) found.set(key.slice(0, LONGEST_TEXT), known);
  }
  return found;
}

/** The text of an attribute; null where it is missing, empty or of another type. */
export function textOf(attributes: ReadonlyMap<string, AttributeValue>, key: string): string | null {
  const value = attributes.get(key);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Any value as JSON has it: text, number, boolean, array, object; undefined where nothing was sent or it is too deep. */
export function plainValue(value: AnyValue, depth = 0): unknown {
  if (depth > DEEPEST) return undefined;
  const scalar = value.stringValue ?? value.boolValue ?? value.intValue ?? value.doubleValue ?? value.bytesValue;
  if (scalar !== undefined) return scalar;
  const list = value.arrayValue?.values;
  if (Array.isArray(list)) return list.map((one: AnyValue) => plainValue(one, depth + 1));
  const pairs = value.kvlistValue?.values;
  if (!Array.isArray(pairs)) return undefined;
  return Object.fromEntries(
    pairs.map((pair: KeyValue) => [pair.key ?? '', plainValue(pair.value ?? {}, depth + 1)] as const),
  );
}

function scalarOf({ stringValue, boolValue, intValue, doubleValue }: AnyValue): AttributeValue | undefined {
  if (stringValue !== undefined) return stringValue.slice(0, LONGEST_TEXT);
  return boolValue ?? intValue ?? doubleValue;
}
