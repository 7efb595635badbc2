// Decodes a message by its shape into a plain object with the names that the API's JSON has; what the shape lacks is passed over.

import { fieldsOf, WireError } from './proto-fields.ts';

/** Field number → name and what it holds; `[]`: it may come several times. */
export interface Shape {
  readonly [number: number]: readonly [name: string, holds: Holds, many?: '[]'];
}

type Holds = 'text' | 'number' | 'flag' | 'map' | 'bytes' | Shape;
export type Decoded = Record<string, unknown>;

/** Of one message with all that it holds: a node has few hundred pods, each with tens of containers and variables. */
const MOST_VALUES = 400_000;
/** Names, labels and messages; a longer text is cut. */
const MOST_TEXT = 4096;

/** Throws `WireError` where the bytes are not such a message, or hold more than is taken. */
export function decode(message: Buffer, shape: Shape): Decoded {
  return into(message, shape, { values: 0 });
}

function into(message: Buffer, shape: Shape, count: { values: number }): Decoded {
  const found: Decoded = Object.create(null);
  for (const field of fieldsOf(message)) {
    const entry = shape[field.number];
    if (entry === undefined) continue;
    const [name, holds, many] = entry;
    count.values += 1;
    if (count.values > MOST_VALUES) throw new WireError(`more than ${MOST_VALUES} values`);
    if (field.wire === 'varint') {
      if (holds === 'number') found[name] = field.value;
      else if (holds === 'flag') found[name] = field.value !== 0;
      continue;
    }
    const value = contentOf(field.bytes, holds, count);
    if (value === undefined) continue;
    if (many === undefined && holds !== 'map') found[name] = value;
    else if (holds === 'map') addEntry(found, name, value);
    else addItem(found, name, value);
  }
  return found;
}

function contentOf(bytes: Buffer, holds: Holds, count: { values: number }): unknown {
  if (holds === 'text') return bytes.toString('utf8', 0, MOST_TEXT);
  if (holds === 'bytes') return bytes;
  if (holds === 'map') return into(bytes, { 1: ['key', 'text'], 2: ['value', 'text'] }, count);
  return typeof holds === 'object' ? into(bytes, holds, count) : undefined;
}

function addItem(found: Decoded, name: string, value: unknown): void {
  const list = found[name];
  if (Array.isArray(list)) list.push(value);
  else found[name] = [value];
}

function addEntry(found: Decoded, name: string, entry: unknown): void {
  const { key = '', value = '' } = entry as { key?: string; value?: string }; // by its shape
  const map = (found[name] ?? Object.create(null)) as Record<string, string>; // by its shape
  map[key] = value;
  found[name] = map;
}
