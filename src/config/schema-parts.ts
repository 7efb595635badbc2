// The few shapes that the configuration schema is put together from; each is plain JSON Schema.

import { DURATION_PATTERN, SIZE_PATTERN } from './quantity.ts';

/** The part of JSON Schema that the configuration uses. `secret` and the bounds of durations are our own annotations. */
export interface SchemaNode {
  readonly type: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly durationRange?: { readonly min: string; readonly max: string };
  readonly sizeRange?: { readonly min: string; readonly max: string };
  readonly secret?: boolean;
  readonly 'x-path'?: boolean;
}

/** The type of a value that the schema accepts, with defaults filled in. */
export type FromSchema<S> = S extends { readonly enum: readonly (infer E)[] }
  ? E
  : S extends { readonly type: 'string' }
    ? string
    : S extends { readonly type: 'integer' | 'number' }
      ? number
      : S extends { readonly type: 'boolean' }
        ? boolean
        : S extends { readonly type: 'array'; readonly items: infer I }
          ? readonly FromSchema<I>[]
          : S extends { readonly type: 'object'; readonly properties: infer P }
            ? Known<P, S extends { readonly required: readonly (infer R)[] } ? R : never>
            : S extends { readonly type: readonly ['string', 'array']; readonly items: infer I }
              ? string | readonly FromSchema<I>[]
              : never;

/** The type of the values of `P`'s keys; those in `R` are there, others are or have a default. */
export type Known<P, R> = {
  readonly [K in keyof P]: P[K] extends { readonly default: unknown }
    ? FromSchema<P[K]>
    : K extends R
      ? FromSchema<P[K]>
      : FromSchema<P[K]> | undefined;
};

export function duration<const D extends string>(description: string, standard: D, min: string, max: string) {
  return {
    type: 'string',
    description,
    pattern: DURATION_PATTERN,
    durationRange: { min, max },
    default: standard,
  } as const;
}

export function size<const D extends string>(description: string, standard: D, min: string, max: string) {
  return { type: 'string', description, pattern: SIZE_PATTERN, sizeRange: { min, max }, default: standard } as const;
}

/** A path; a relative one counts from the folder of the configuration file. */
export function path<const D extends string>(description: string, standard: D) {
  return { type: 'string', description, minLength: 1, maxLength: 4096, 'x-path': true, default: standard } as const;
}

/** A path without a default. */
export function optionalPath<const X extends string>(description: string, example: X) {
  return { type: 'string', description, minLength: 1, maxLength: 4096, 'x-path': true, examples: [example] } as const;
}

export function choice<const E extends readonly string[], const D extends E[number]>(
  description: string,
  values: E,
  standard: D,
) {
  return { type: 'string', description, enum: values, default: standard } as const;
}

export function enabled(what: string) {
  return choice(
    `${what}: auto reads it where it is there, on also reports when it is not, off costs nothing.`,
    ['auto', 'on', 'off'],
    'auto',
  );
}

/** A section: unknown keys are refused, and it is filled with its defaults when left out. */
export function section<const P extends Readonly<Record<string, SchemaNode>>>(description: string, properties: P) {
  return { type: 'object', description, additionalProperties: false, properties, default: {} } as const;
}

export function item<const P extends Readonly<Record<string, SchemaNode>>, const R extends readonly (keyof P)[]>(
  properties: P,
  required: R,
) {
  return { type: 'object', additionalProperties: false, properties, required } as const;
}

export function list<const I extends SchemaNode>(description: string, items: I, maxItems: number) {
  return { type: 'array', description, items, maxItems, default: [] } as const;
}
