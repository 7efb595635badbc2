// Fills a configuration with the defaults of its schema, so that the built-in one needs no validator at start.

import type { SchemaNode } from './schema-parts.ts';

/** A copy of `value` in which every property that is left out and has a default has it; unknown keys are dropped. */
export function fillDefaults(value: unknown, schema: SchemaNode): unknown {
  const given = value === undefined ? schema.default : value;
  if (Array.isArray(given)) {
    const { items } = schema;
    return items === undefined ? given : given.map((item) => fillDefaults(item, items));
  }
  if (schema.properties === undefined || typeof given !== 'object' || given === null) return given;
  const out: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(schema.properties)) {
    const filled = fillDefaults((given as Record<string, unknown>)[key], inner); // a non-null object can be indexed
    if (filled !== undefined) out[key] = filled;
  }
  return out;
}
