// Read protobuf: a request in binary form → its message, by its shape. The reader of the wire is protobufjs's; hostile input.

import protobuf from 'protobufjs/minimal.js';
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
  snake,
} from './shape.ts';

type Reader = protobuf.Reader;

/** Wire types (protobuf's encoding guide). Groups are not of proto3. */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;
const WIRE: Readonly<Record<Scalar, number>> = {
  string: LENGTH,
  id: LENGTH,
  bytes: LENGTH,
  time: FIXED64,
  double: FIXED64,
  fixed64: FIXED64,
  sfixed64: FIXED64,
  uint: VARINT,
  int: VARINT,
  sint: VARINT,
  bool: VARINT,
  doubles: LENGTH,
  fixed64s: LENGTH,
  uints: LENGTH,
};
/** The wire type of one value of what is usually packed. */
const UNPACKED: Readonly<Partial<Record<Scalar, number>>> = { doubles: FIXED64, fixed64s: FIXED64, uints: VARINT };
const HIGH = 2 ** 32;
const MOST_ID_BYTES = 64;

/** Throws a `Refusal`, or what protobufjs throws for a message that ends early. */
export function readProtobuf<F extends Fields>(bytes: Uint8Array, shape: Shape<F>): MessageOf<F> {
  const reader = protobuf.Reader.create(bytes);
  return new Decoder().message(reader, reader.len, shape, 0) as MessageOf<F>; // by its shape
}

class Decoder {
  #messages = 0;

  message(reader: Reader, end: number, { byNumber }: Shape, depth: number): Record<string, unknown> {
    this.#messages += 1;
    if (this.#messages > MOST_MESSAGES)
      throw new Refusal('too_large', `holds more than ${MOST_MESSAGES} messages. Send smaller batches`);
    if (depth > DEEPEST) throw new Refusal('malformed', `is nested more than ${DEEPEST} deep`);
    const message: Record<string, unknown> = {};
    while (reader.pos < end) {
      const tag = reader.uint32();
      const wire = tag & 7;
      const known = byNumber[tag >>> 3];
      if (known === undefined) skip(reader, wire, tag >>> 3);
      else this.#field(reader, end, message, known, wire, depth);
      if (reader.pos > end) throw new Refusal('malformed', 'a field runs past the end of its message');
    }
    return message;
  }

  #field(
    reader: Reader,
    end: number,
    message: Record<string, unknown>,
    [name, field]: readonly [string, Field],
    wire: number,
    depth: number,
  ): void {
    const { as } = field;
    if (typeof as === 'string') {
      try {
        if (wire === UNPACKED[as]) push(listOf(message, name), reader, as);
        else if (wire !== WIRE[as]) throw new Refusal('malformed', `has wire type ${wire}, not ${WIRE[as]}`);
        else if (UNPACKED[as] === undefined) message[name] = scalar(reader, as);
        else packed(listOf(message, name), reader, as, end);
      } catch (error) {
        throw error instanceof Refusal ? error.within(snake(name)) : error;
      }
      return;
    }
    const list = field.many ? listOf(message, name) : null;
    try {
      if (wire !== LENGTH) throw new Refusal('malformed', `has wire type ${wire}, not ${LENGTH}`);
      const length = reader.uint32();
      if (reader.pos + length > end) throw new Refusal('malformed', 'is longer than what holds it');
      const value = this.message(reader, reader.pos + length, typeof as === 'function' ? as() : as, depth + 1);
      if (list === null) message[name] = value;
      else list.push(value);
    } catch (error) {
      const place = list === null ? snake(name) : `${snake(name)}[${list.length}]`;
      throw error instanceof Refusal ? error.within(place) : error;
    }
  }
}

function listOf(message: Record<string, unknown>, name: string): unknown[] {
  const known = message[name];
  if (Array.isArray(known)) return known;
  const made: unknown[] = [];
  message[name] = made;
  return made;
}

/** Packed or not, in one piece or more: all of it is one list. */
function packed(list: unknown[], reader: Reader, as: Scalar, end: number): void {
  const length = reader.uint32();
  const last = reader.pos + length;
  if (last > end) throw new Refusal('malformed', 'is longer than what holds it');
  while (reader.pos < last) push(list, reader, as);
}

function push(list: unknown[], reader: Reader, as: Scalar): void {
  if (list.length >= MOST_VALUES)
    throw new Refusal('too_large', `holds more than ${MOST_VALUES} values. Use fewer buckets`);
  list.push(single(reader, as));
}

function scalar(reader: Reader, as: Scalar): unknown {
  switch (as) {
    case 'string':
      return reader.string();
    case 'id': {
      const bytes = reader.bytes();
      if (bytes.length > MOST_ID_BYTES) throw new Refusal('malformed', `has ${bytes.length} bytes: not an id`);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
    }
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
    default:
      return single(reader, as);
  }
}

function single(reader: Reader, as: Scalar): number | boolean {
  switch (as) {
    case 'time': {
      const low = reader.fixed32();
      return (reader.fixed32() * HIGH) / 1e6 + low / 1e6;
    }
    case 'fixed64':
    case 'fixed64s': {
      const low = reader.fixed32();
      return reader.fixed32() * HIGH + low;
    }
    case 'sfixed64': {
      const low = reader.fixed32();
      return reader.sfixed32() * HIGH + low;
    }
    case 'double':
    case 'doubles':
      return reader.double();
    case 'bool':
      return reader.bool();
    case 'sint':
      return reader.sint32();
    case 'uint':
      return reader.uint32();
    default: {
      const value = as === 'int' ? reader.int64() : reader.uint64();
      return Number(String(value)); // a number, or a Long where that package is there
    }
  }
}

function skip(reader: Reader, wire: number, number: number): void {
  if (number === 0 || ![VARINT, FIXED64, LENGTH, FIXED32].includes(wire))
    throw new Refusal('malformed', `field ${number} of wire type ${wire} is not protobuf`);
  reader.skipType(wire);
}
