// Protobuf writer: tags, lengths and bytes into a buffer whose size is known before.

/** Bytes of a varint that holds a length. */
export function varintBytes(length: number): number {
  return length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : length < 0x1000_0000 ? 4 : 5;
}

/** Bytes of a message inside another: tag, length, content. */
export function framed(length: number): number {
  return 1 + varintBytes(length) + length;
}

export function message(field: number, content: Buffer): Buffer {
  const writer = new Writer(framed(content.length));
  writer.open(field, content.length);
  writer.bytes(content);
  return writer.buffer;
}

export function text(field: number, content: string): Buffer {
  return message(field, Buffer.from(content, 'utf8'));
}

export class Writer {
  readonly buffer: Buffer;
  #at = 0;

  constructor(length: number) {
    this.buffer = Buffer.allocUnsafeSlow(length);
  }

  /** Where the next byte goes. */
  get at(): number {
    return this.#at;
  }

  /** Tag (fields up to 15, length-delimited) and length of what follows. */
  open(field: number, length: number): void {
    this.buffer[this.#at++] = field * 8 + 2;
    let rest = length;
    while (rest > 0x7f) {
      this.buffer[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.buffer[this.#at++] = rest;
  }

  bytes(content: Uint8Array): void {
    this.buffer.set(content, this.#at);
    this.#at += content.length;
  }

  /** Bytes that are kept as text, each a letter. */
  latin1(content: string): void {
    this.#at += this.buffer.write(content, this.#at, 'latin1');
  }
}
