// Protobuf: the fields of a message that came from a socket, in their order, nothing beyond the end, nothing that nests without an
// end; and the fields of a message that is made.

/** What came is not a message, or more than any sender has. */
export class WireError extends Error {}

const MOST_VARINT_BYTES = 10;

/** The fields of one message, one after the other; those of a fixed width are passed over. */
export class Fields {
  readonly #message: Buffer;
  #offset = 0;
  number = 0;
  /** It is a number, else bytes. */
  isNumber = false;
  value = 0;
  #from = 0;

  constructor(message: Buffer) {
    this.#message = message;
  }

  /** False after the last. Throws `WireError` where the message is not one. */
  next(): boolean {
    while (this.#offset < this.#message.length) {
      const tag = this.#varint();
      this.number = Math.floor(tag / 8);
      if (this.number < 1 || this.number > 0x1fffffff) throw new WireError(`field number ${this.number}`);
      switch (tag % 8) {
        case 0:
          this.isNumber = true;
          this.value = this.#varint();
          return true;
        case 1:
          this.#skip(8);
          break;
        case 2: {
          const length = this.#varint();
          this.#from = this.#offset;
          this.#skip(length);
          this.isNumber = false;
          return true;
        }
        case 5:
          this.#skip(4);
          break;
        default:
          // Groups nest without a length; no message that is read here has them.
          throw new WireError(`wire type ${tag % 8} of field ${this.number}`);
      }
    }
    return false;
  }

  /** Of a field that is not a number: its content, without a copy. */
  get bytes(): Buffer {
    return this.#message.subarray(this.#from, this.#offset);
  }

  /** The same as text, cut at so many bytes. */
  text(most: number): string {
    return this.#message.toString('utf8', this.#from, Math.min(this.#offset, this.#from + most));
  }

  /** As a number; beyond 2^53 it is rounded, as no field that is read here can be. */
  #varint(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < MOST_VARINT_BYTES; i += 1) {
      const byte = this.#message[this.#offset];
      if (byte === undefined) throw new WireError('it ends within a number');
      this.#offset += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw new WireError('a number of more than ten bytes');
  }

  #skip(length: number): void {
    if (length > this.#message.length - this.#offset) throw new WireError(`a field of ${length} bytes beyond the end`);
    this.#offset += length;
  }
}

/** A field of text or of a message. */
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
