// The few shapes that the configuration schema is put together from; each is plain JSON Schema.

import { DURATION_PATTERN, SIZE_PATTERN } from './quantity.ts';

/**
 * The part of JSON Schema that the configuration uses. What is annotated besides is in the last lines: the owner of a key says
 * there in words what is refused and what to write, so that nothing else has to know its key.
 */
export interface SchemaNode {
  readonly type: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  /** Whether other keys than those are allowed. */
  readonly additionalProperties?: boolean;
  readonly items?: SchemaNode;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly durationRange?: { readonly min: string; readonly max: string };
  readonly sizeRange?: { readonly min: string; readonly max: string };
  readonly 'x-path'?: boolean;
  /** What the pattern asks for: "a name without spaces". */
  readonly form?: string;
  /** Of a URL only scheme and host count: a longer one is proposed without the rest. */
  readonly origin?: boolean;
  /** A duration that must not exceed the one at this key of the same section. */
  readonly notLongerThan?: string;
  /** It must not be written out; `instead` is what to write, `harmless` are values that keep nothing secret. */
  readonly secret?: boolean;
  readonly instead?: string;
  readonly harmless?: readonly string[];
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

/** Pattern and form of a name that becomes part of a component's id, at most `longest` characters. */
export function plainName(longest: number) {
  return {
    pattern: `^[A-Za-z0-9][A-Za-z0-9._-]{0,${longest - 1}}$`,
    form: 'a name of letters, digits, ".", "_" and "-"',
  } as const;
}

/** The same of a job or a service, which launchers name as they like. */
export const WORK_NAME = { pattern: '^[^\\s/]{1,128}$', form: 'a name without spaces and "/"' } as const;

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
