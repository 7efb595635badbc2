// Decodes a message by its shape into a plain object with the names that the API's JSON has; what the shape lacks is passed over.

import { Fields, WireError } from '../../../helpers/proto-fields.ts';

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

const ENTRY: Shape = { 1: ['key', 'text'], 2: ['value', 'text'] };

/** Throws `WireError` where the bytes are not such a message, or hold more than is taken. */
export function decode(message: Buffer, shape: Shape): Decoded {
  return into(message, shape, { values: 0 });
}

function into(message: Buffer, shape: Shape, count: { values: number }): Decoded {
  const found: Decoded = Object.create(null);
  const fields = new Fields(message);
  while (fields.next()) {
    const entry = shape[fields.number];
    if (entry === undefined) continue;
    const [name, holds, many] = entry;
    count.values += 1;
    if (count.values > MOST_VALUES) throw new WireError(`more than ${MOST_VALUES} values`);
    if (fields.isNumber) {
      if (holds === 'number') found[name] = fields.value;
      else if (holds === 'flag') found[name] = fields.value !== 0;
      continue;
    }
    const value = contentOf(fields, holds, count);
    if (value === undefined) continue;
    if (holds === 'map') addEntry(found, name, value);
    else if (many === undefined) found[name] = value;
    else addItem(found, name, value);
  }
  return found;
}

function contentOf(fields: Fields, holds: Holds, count: { values: number }): unknown {
  if (holds === 'text') return fields.text(MOST_TEXT);
  if (holds === 'bytes') return fields.bytes;
  if (holds === 'map') return into(fields.bytes, ENTRY, count);
  return typeof holds === 'object' ? into(fields.bytes, holds, count) : undefined;
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
