// Protobuf as it comes from a socket: fields in their order, nothing beyond the end, nothing that nests without an end.

/** What came is not a message, or more than any kubelet sends. */
export class WireError extends Error {}

export type Field =
  | { readonly number: number; readonly wire: 'varint'; readonly value: number }
  | { readonly number: number; readonly wire: 'bytes'; readonly bytes: Buffer };

const MOST_VARINT_BYTES = 10;

/** Fields of the message, without those of a fixed width, which no message here has. Throws `WireError` in its middle. */
export function* fieldsOf(message: Buffer): Generator<Field> {
  const at = { offset: 0 };
  while (at.offset < message.length) {
    const tag = varint(message, at);
    const number = Math.floor(tag / 8);
    if (number < 1 || number > 0x1fffffff) throw new WireError(`field number ${number}`);
    switch (tag % 8) {
      case 0:
        yield { number, wire: 'varint', value: varint(message, at) };
        break;
      case 1:
        skip(message, at, 8);
        break;
      case 2: {
        const length = varint(message, at);
        const from = at.offset;
        skip(message, at, length);
        yield { number, wire: 'bytes', bytes: message.subarray(from, at.offset) };
        break;
      }
      case 5:
        skip(message, at, 4);
        break;
      default:
        // Groups nest without a length; no Kubernetes message has them.
        throw new WireError(`wire type ${tag % 8} of field ${number}`);
    }
  }
}

/** As a number; beyond 2^53 it is rounded, as no field that is read here can be. */
function varint(message: Buffer, at: { offset: number }): number {
  let value = 0;
  let scale = 1;
  for (let i = 0; i < MOST_VARINT_BYTES; i += 1) {
    const byte = message[at.offset];
    if (byte === undefined) throw new WireError('it ends within a number');
    at.offset += 1;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
    scale *= 128;
  }
  throw new WireError('a number of more than ten bytes');
}

function skip(message: Buffer, at: { offset: number }, length: number): void {
  if (length > message.length - at.offset) throw new WireError(`a field of ${length} bytes beyond the end`);
  at.offset += length;
}

/** For requests and tests: a field of text or of a message. */
export function bytesField(number: number, bytes: Buffer | string): Buffer {
  const content = Buffer.from(bytes);
  return Buffer.concat([varintBytes(number * 8 + 2), varintBytes(content.length), content]);
}

export function varintField(number: number, value: number): Buffer {
  return Buffer.concat([varintBytes(number * 8), varintBytes(value)]);
}

function varintBytes(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) | 0x80);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
