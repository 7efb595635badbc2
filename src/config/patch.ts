// Patch: replaces the values that are wrong, so that what they would hide is found at the same time.

import { pointerStep } from './pointer.ts';
import type { SchemaNode } from './schema-parts.ts';

export interface Patched {
  readonly value: unknown;
  /** Pointers of what was left out or stood in for; what is found there is a consequence. */
  readonly pointers: readonly string[];
}

/** A value that fits the schema, with lists as long as they are. `bad`: pointers of values that do not fit, or are missing. */
export function patch(value: unknown, schema: SchemaNode, bad: ReadonlySet<string>): Patched {
  const pointers: string[] = [];
  const repair = (at: unknown, node: SchemaNode, pointer: string): unknown => {
    if (at === undefined || bad.has(pointer)) {
      pointers.push(pointer);
      return standIn(node);
    }
    const { items, properties } = node;
    if (Array.isArray(at))
      return items === undefined ? at : at.map((one, i) => repair(one, items, pointer + pointerStep(i)));
    if (properties === undefined || typeof at !== 'object' || at === null) return at;
    const out: Record<string, unknown> = Object.create(null);
    for (const [key, child] of Object.entries(properties)) {
      const below = pointer + pointerStep(key);
      const given = (at as Record<string, unknown>)[key]; // a non-null object can be indexed
      const wrong = bad.has(below) || (given === undefined && Object.hasOwn(at, key));
      if (wrong) pointers.push(below);
      if (node.required?.includes(key) === true && (wrong || given === undefined)) out[key] = standIn(child);
      else if (!wrong && given !== undefined) out[key] = repair(given, child, below);
    }
    return out;
  };
  return { value: repair(value, schema, ''), pointers };
}

function standIn(node: SchemaNode): unknown {
  const { default: standard, examples, enum: words, properties, required = [] } = node;
  const known = examples?.[0] ?? standard ?? words?.[0];
  if (known !== undefined && typeof known !== 'object') return known;
  if (properties !== undefined) {
    const needed = required.flatMap((key) => (properties[key] === undefined ? [] : [[key, standIn(properties[key])]]));
    return Object.fromEntries(needed);
  }
  const type = [node.type].flat()[0];
  if (type === 'array') return [];
  return type === 'boolean' ? false : type === 'string' ? '' : (node.minimum ?? 0);
}
