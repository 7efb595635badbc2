// Writes journal files as journald does: objects appended, an index whose arrays are chained (systemd.io/JOURNAL_FILE_FORMAT).

import { zstdCompressSync } from 'node:zlib';

const HEADER = 272;
const ROOM = 4;

export interface BuiltEntry {
  readonly fields: Readonly<Record<string, string>>;
  readonly wallMs: number;
  readonly bootId: string;
}

export interface BuilderOptions {
  readonly compact?: boolean;
  readonly pack?: 'zstd' | 'lz4' | 'xz';
  readonly seqnumId?: string;
  readonly firstSeqnum?: number;
}

export class JournalBuilder {
  readonly #options: BuilderOptions;
  #bytes = Buffer.alloc(HEADER);
  #arrays: number[] = [];
  #count = 0;

  constructor(options: BuilderOptions = {}) {
    this.#options = options;
    this.#bytes.write('LPKSHHRH', 0, 'latin1');
    this.#bytes.writeUInt32LE((options.compact === true ? 16 : 0) | 4 | 8, 12);
    this.#bytes.write('f'.repeat(32), 24, 'hex');
    this.#bytes.write('a'.repeat(32), 40, 'hex');
    this.#bytes.write(options.seqnumId ?? '5'.repeat(32), 72, 'hex');
    this.#put64(88, HEADER);
  }

  add({ fields, wallMs, bootId }: BuiltEntry): this {
    const { compact = false, firstSeqnum = 1 } = this.#options;
    const items = Object.entries(fields).map(([name, value]) => this.#data(`${name}=${value}`));
    const width = compact ? 4 : 16;
    const seqnum = firstSeqnum + this.#count;
    const entry = Buffer.alloc(48 + items.length * width);
    entry.writeBigUInt64LE(BigInt(seqnum), 0);
    entry.writeBigUInt64LE(BigInt(Math.round(wallMs * 1000)), 8);
    entry.write(bootId, 24, 'hex');
    for (const [i, item] of items.entries()) {
      if (compact) entry.writeUInt32LE(item, 48 + i * 4);
      else entry.writeBigUInt64LE(BigInt(item), 48 + i * 16);
    }
    this.#index(this.#object(3, 0, entry));
    this.#count += 1;
    this.#put64(152, this.#count);
    this.#put64(160, seqnum);
    if (this.#count === 1) this.#put64(168, seqnum);
    if (this.#count === 1) this.#put64(184, wallMs * 1000);
    this.#put64(192, wallMs * 1000);
    return this;
  }

  bytes(): Buffer {
    return Buffer.from(this.#bytes);
  }

  #data(text: string): number {
    const { compact = false, pack } = this.#options;
    const payload = Buffer.from(text);
    const packed = pack === undefined ? payload : pack === 'zstd' ? zstdCompressSync(payload) : pack === 'lz4' ? literals(payload) : payload; // biome-ignore format: one line
    const flags = pack === undefined ? 0 : { xz: 1, lz4: 2, zstd: 4 }[pack];
    return this.#object(1, flags, Buffer.concat([Buffer.alloc(compact ? 56 : 48), packed]));
  }

  #index(entry: number): void {
    const { compact = false } = this.#options;
    const width = compact ? 4 : 8;
    if (this.#count % ROOM === 0) {
      const array = this.#object(6, 0, Buffer.alloc(8 + ROOM * width));
      const before = this.#arrays.at(-1);
      if (before === undefined) this.#put64(176, array);
      else this.#put64(before + 16, array);
      this.#arrays.push(array);
    }
    const at = (this.#arrays.at(-1) ?? 0) + 24 + (this.#count % ROOM) * width;
    if (compact) this.#bytes.writeUInt32LE(entry, at);
    else this.#put64(at, entry);
  }

  #object(type: number, flags: number, body: Buffer): number {
    const at = Math.ceil(this.#bytes.length / 8) * 8;
    const head = Buffer.alloc(16);
    head[0] = type;
    head[1] = flags;
    head.writeBigUInt64LE(BigInt(16 + body.length), 8);
    this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(at - this.#bytes.length), head, body]);
    return at;
  }

  #put64(at: number, value: number): void {
    this.#bytes.writeBigUInt64LE(BigInt(Math.round(value)), at);
  }
}

/** A block of LZ4 that is literals alone, with the length before it. */
function literals(payload: Buffer): Buffer {
  const head: number[] = [];
  let left = payload.length - 15;
  head.push(payload.length >= 15 ? 0xf0 : payload.length << 4);
  for (; payload.length >= 15 && left >= 255; left -= 255) head.push(255);
  if (payload.length >= 15) head.push(left);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(payload.length));
  return Buffer.concat([length, Buffer.from(head), payload]);
}
