// Cursor: how far a spool was sent, in one small file that is overwritten in place; torn, it only means sending again.

import { crc32 } from 'node:zlib';
import type { SpoolFiles, SpoolHandle } from './spool-files.ts';

export interface Position {
  readonly segment: number;
  readonly offset: number;
}

const BYTES = 20;

export class Cursor {
  readonly #path: string;
  readonly #files: SpoolFiles;
  #handle: SpoolHandle | null = null;

  constructor(path: string, files: SpoolFiles) {
    this.#path = path;
    this.#files = files;
  }

  /** Null where none was written or it is damaged. */
  async read(): Promise<Position | null> {
    const buffer = Buffer.alloc(BYTES);
    const handle = await this.#opened();
    const { bytesRead } = await handle.read(buffer, 0, BYTES, 0);
    if (bytesRead < BYTES || crc32(buffer.subarray(0, 16)) !== buffer.readUInt32LE(16)) return null;
    return { segment: Number(buffer.readBigUInt64LE(0)), offset: Number(buffer.readBigUInt64LE(8)) };
  }

  async write(position: Position): Promise<void> {
    const buffer = Buffer.alloc(BYTES);
    buffer.writeBigUInt64LE(BigInt(position.segment), 0);
    buffer.writeBigUInt64LE(BigInt(position.offset), 8);
    buffer.writeUInt32LE(crc32(buffer.subarray(0, 16)), 16);
    await (await this.#opened()).write(buffer, 0, BYTES, 0);
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close();
  }

  async #opened(): Promise<SpoolHandle> {
    this.#handle ??= await this.#files.open(this.#path, 'update');
    return this.#handle;
  }
}
