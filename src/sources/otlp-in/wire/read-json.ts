// Read JSON: a request in JSON → its message, by its shape. Ids are hex, 64-bit numbers are text or numbers, as OTLP has it; hostile input.

import { hasManyNames } from '../../../helpers/many-names.ts';
import { Refusal } from './refusal.ts';
import {
  DEEPEST,
  type Field,
  type Fields,
  type MessageOf,
  MOST_MESSAGES,
  MOST_VALUES,
  type Scalar,
  type Shape,
} from './shape.ts';

const HEX = /^[0-9a-fA-F]*$/;
const WHOLE = /^-?\d{1,20}$/;

/** Throws a `Refusal`. */
export function readJson<F extends Fields>(bytes: Uint8Array, shape: Shape<F>): MessageOf<F> {
  let parsed: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (hasManyNames(text))
      throw new Refusal('too_large', 'holds more different names than OTLP has. Send application/x-protobuf');
    parsed = JSON.parse(text);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal('malformed', 'the body is not JSON in UTF-8. Check content-type, or send application/x-protobuf');
  }
  return new Walker().message(parsed, shape, 0) as MessageOf<F>; // by its shape
}

class Walker {
  #messages = 0;

  message(value: unknown, { byName, misspelt }: Shape, depth: number): Record<string, unknown> {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Refusal('malformed', `is ${nameOf(value)}, not an object`);
    this.#messages += 1;
    if (this.#messages > MOST_MESSAGES)
      throw new Refusal('too_large', `holds more than ${MOST_MESSAGES} messages. Send smaller batches`);
    if (depth > DEEPEST) throw new Refusal('malformed', `is nested more than ${DEEPEST} deep`);
    const message: Record<string, unknown> = {};
    const parts = value as Readonly<Record<string, unknown>>; // an object of JSON
    // Asked by the fields that are known: of others there may be hundreds of thousands.
    for (const [key, field] of byName) {
      const part = parts[key];
      if (part !== undefined && part !== null) message[key] = this.#field(key, part, field, depth);
    }
    // A common mistake, which would otherwise be passed over without a word.
    for (const [key, name] of misspelt)
      if (parts[key] !== undefined) throw new Refusal('malformed', `OTLP in JSON spells it ${name}`).within(key);
    return message;
  }

  #field(key: string, value: unknown, field: Field, depth: number): unknown {
    const { as } = field;
    if (typeof as === 'string') {
      try {
        return scalar(value, as);
      } catch (error) {
        throw error instanceof Refusal ? error.within(key) : error;
      }
    }
    const inner = typeof as === 'function' ? as() : as;
    if (!field.many) return inside(key, () => this.message(value, inner, depth + 1));
    if (!Array.isArray(value)) throw new Refusal('malformed', `is ${nameOf(value)}, not an array`).within(key);
    return value.map((one, i) => inside(`${key}[${i}]`, () => this.message(one, inner, depth + 1)));
  }
}

function inside<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Refusal ? error.within(place) : error;
  }
}

function scalar(value: unknown, as: Scalar): unknown {
  switch (as) {
    case 'string':
    case 'bytes':
      if (typeof value !== 'string') throw new Refusal('malformed', `is ${nameOf(value)}, not text`);
      return value;
    case 'id':
      if (typeof value !== 'string' || value.length > 128 || !HEX.test(value))
        throw new Refusal('malformed', 'is not hex digits, as OTLP in JSON writes ids (not base64)');
      return value.toLowerCase();
    case 'bool':
      if (typeof value !== 'boolean') throw new Refusal('malformed', `is ${nameOf(value)}, not true or false`);
      return value;
    case 'doubles':
    case 'fixed64s':
    case 'uints':
      if (!Array.isArray(value)) throw new Refusal('malformed', `is ${nameOf(value)}, not an array`);
      if (value.length > MOST_VALUES)
        throw new Refusal('too_large', `holds more than ${MOST_VALUES} values. Use fewer buckets`);
      return value.map((one) => number(one, as));
    case 'time':
      return number(value, as) / 1e6;
    default:
      return number(value, as);
  }
}

function number(value: unknown, as: Scalar): number {
  if (typeof value === 'number') return value;
  const real = as === 'double' || as === 'doubles';
  // protobuf's JSON writes these three as text.
  if (real && (value === 'NaN' || value === 'Infinity' || value === '-Infinity')) return Number(value);
  if (typeof value === 'string' && (WHOLE.test(value) || (real && value !== '' && Number.isFinite(Number(value)))))
    return Number(value);
  throw new Refusal('malformed', `is ${nameOf(value)}, not a number`);
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
