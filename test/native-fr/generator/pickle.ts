// Writes pickles as c10's recorder does: protocol 2, strings kept in the memo by value, shared objects by identity.

export class Wide {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A tuple where an array is a list. */
export class Tuple {
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

interface Dict {
  readonly [key: string]: Value;
}

export type Value = null | boolean | number | string | Wide | Tuple | readonly Value[] | Dict;

function isList(value: readonly Value[] | Dict): value is readonly Value[] {
  return Array.isArray(value);
}

export function pickled(value: Value): Buffer {
  const out = new Writer();
  out.bytes(0x80, 2);
  out.value(value);
  out.bytes(0x2e);
  return out.take();
}

class Writer {
  #buffer = Buffer.alloc(1 << 16);
  #length = 0;
  readonly #memo = new Map<unknown, number>();

  take(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#length));
  }

  bytes(...bytes: number[]): void {
    this.#room(bytes.length);
    for (const byte of bytes) this.#buffer[this.#length++] = byte;
  }

  #room(size: number): void {
    if (this.#length + size <= this.#buffer.length) return;
    const larger = Buffer.alloc(Math.max(this.#buffer.length * 2, this.#length + size));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }

  /** True when it was written as a reference. */
  #known(key: unknown): boolean {
    const id = this.#memo.get(key);
    if (id === undefined) return false;
    if (id < 256) this.bytes(0x68, id);
    else this.bytes(0x6a, id & 255, (id >> 8) & 255, (id >> 16) & 255, id >> 24);
    return true;
  }

  #keep(key: unknown): void {
    const id = this.#memo.size;
    this.#memo.set(key, id);
    if (id < 256) this.bytes(0x71, id);
    else this.bytes(0x72, id & 255, (id >> 8) & 255, (id >> 16) & 255, id >> 24);
  }

  value(value: Value): void {
    if (value === null) this.bytes(0x4e);
    else if (typeof value === 'boolean') this.bytes(value ? 0x88 : 0x89);
    else if (typeof value === 'number') this.#integer(value);
    else if (typeof value === 'string') this.#text(value);
    else if (value instanceof Wide) this.#wide(value.value);
    else if (value instanceof Tuple) {
      for (const item of value.items) this.value(item);
      this.bytes(0x84 + value.items.length);
    } else if (isList(value)) {
      this.bytes(0x5d, 0x28);
      for (const item of value) this.value(item);
      this.bytes(0x65);
    } else this.#dict(value);
  }

  #dict(value: Dict): void {
    if (this.#known(value)) return;
    this.bytes(0x7d, 0x28);
    for (const [key, item] of Object.entries(value)) {
      this.#text(key);
      this.value(item);
    }
    this.bytes(0x75);
    if ('filename' in value) this.#keep(value);
  }

  #text(text: string): void {
    if (this.#known(text)) return;
    const bytes = Buffer.from(text);
    this.bytes(0x58, bytes.length & 255, (bytes.length >> 8) & 255, (bytes.length >> 16) & 255, bytes.length >> 24);
    this.#room(bytes.length);
    bytes.copy(this.#buffer, this.#length);
    this.#length += bytes.length;
    this.#keep(text);
  }

  #integer(value: number): void {
    if (value >= 0 && value < 256) this.bytes(0x4b, value);
    else if (value >= 0 && value < 65_536) this.bytes(0x4d, value & 255, value >> 8);
    else if (value >= -(2 ** 31) && value < 2 ** 31) {
      this.bytes(0x4a, value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >> 24) & 255);
    } else this.#wide(BigInt(value));
  }

  #wide(value: bigint): void {
    this.bytes(0x8a, 8);
    for (let shift = 0n; shift < 64n; shift += 8n) this.bytes(Number((BigInt.asUintN(64, value) >> shift) & 255n));
  }
}
