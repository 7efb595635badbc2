// Shape: which fields of a protobuf message are read, as data; both encodings of OTLP are decoded by it, and all else is skipped.

/** Of a field's value. Times come as epoch ms, ids as lower-case hex, 64-bit numbers as the nearest double. */
export type Scalar =
  | 'string'
  | 'id'
  | 'bytes'
  | 'time'
  | 'double'
  | 'fixed64'
  | 'sfixed64'
  | 'uint'
  | 'int'
  | 'sint'
  | 'bool'
  | 'doubles'
  | 'fixed64s'
  | 'uints';

export interface Field {
  readonly no: number;
  readonly as: Scalar | Shape | (() => Shape);
  readonly many: boolean;
}

export interface Shape<F extends Fields = Fields> {
  readonly fields: F;
  /** Name and field by number. */
  readonly byNumber: readonly (readonly [string, Field] | undefined)[];
  readonly byName: ReadonlyMap<string, Field>;
  /** Protobuf's own spelling, where it is another → name. */
  readonly misspelt: ReadonlyMap<string, string>;
}

export type Fields = Readonly<Record<string, Field>>;

type Of<A> = A extends 'string' | 'id' | 'bytes'
  ? string
  : A extends 'doubles' | 'fixed64s' | 'uints'
    ? readonly number[]
    : A extends 'bool'
      ? boolean
      : A extends Scalar
        ? number
        : A extends Shape<infer F>
          ? MessageOf<F>
          : A extends () => Shape
            ? Message
            : never;

/** What a decoder makes of a message: a field that was not sent is undefined. */
export type MessageOf<F extends Fields> = {
  readonly [K in keyof F]?: F[K]['many'] extends true ? readonly Of<F[K]['as']>[] : Of<F[K]['as']>;
};

/** A message whose shape is only known where it is used. */
export type Message = Readonly<Record<string, unknown>>;

export function shape<const F extends Fields>(fields: F): Shape<F> {
  const byNumber: [string, Field][] = [];
  for (const [name, field] of Object.entries(fields)) byNumber[field.no] = [name, field];
  const misspelt = Object.keys(fields).flatMap((name) => (snake(name) === name ? [] : [[snake(name), name] as const]));
  return { fields, byNumber, byName: new Map(Object.entries(fields)), misspelt: new Map(misspelt) };
}

/** As the protocol's files spell it. */
export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function one<const A extends Field['as']>(no: number, as: A) {
  return { no, as, many: false } as const;
}

export function many<const A extends Field['as']>(no: number, as: A) {
  return { no, as, many: true } as const;
}

/** Messages in one request, nested ones included: an empty one has two bytes on the wire and a hundred in memory. */
export const MOST_MESSAGES = 100_000;
/** Numbers in one list: those of a histogram's buckets. */
export const MOST_VALUES = 16_384;
export const DEEPEST = 24;
