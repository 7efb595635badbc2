// Lines: reads a log file line by line in bounded memory.

import type { FileHandle } from 'node:fs/promises';
import { MAX_LINE_BYTES } from './files.ts';

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;
/**
 * A log is appended to and has no holes: of one with more than this of them only as much is read as was ever written. Not
 * less, as a file system that compresses has fewer blocks than bytes.
 */
const MOST_HOLES = 4 * 1024 ** 3;
const BLOCK_BYTES = 512;

/** The bytes are only good until it returns; null stands for a line that is too long. `offset`: of its first byte. */
export type OnLine = (line: Buffer | null, number: number, offset: number) => void;

/** Splits a stream of bytes into lines; a line over MAX_LINE_BYTES is handed over as null. */
export class LineSplitter {
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #number = 0;
  /** Where the open line begins, and where the next chunk does. */
  #begun = 0;
  #next = 0;

  /** So many bytes are not read: a line that no reader can have, and whatever is open ends. */
  pass(bytes: number, onLine: OnLine): void {
    this.#number += 1;
    onLine(null, this.#number, this.#begun);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#next += bytes;
    this.#begun = this.#next;
  }

  /** Calls `onLine` for each line that ends in `chunk`, without its newline. */
  push(chunk: Buffer, onLine: OnLine): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) break;
      this.#number += 1;
      const length = this.#pendingBytes + end - start;
      const part = chunk.subarray(start, end);
      const line = this.#pending.length === 0 ? part : Buffer.concat([...this.#pending, part]);
      onLine(length > MAX_LINE_BYTES ? null : line, this.#number, this.#begun);
      this.#pending = [];
      this.#pendingBytes = 0;
      start = end + 1;
      this.#begun = this.#next + start;
    }
    this.#next += chunk.length;
    const rest = chunk.subarray(start);
    if (rest.length === 0) return;
    this.#pendingBytes += rest.length;
    if (this.#pendingBytes > MAX_LINE_BYTES) this.#pending = [];
    else this.#pending.push(Buffer.from(rest));
  }
}

/** Bytes at `position` that are passed over, as no more than what follows them can have been written. */
async function holes(handle: FileHandle, position: number): Promise<number> {
  const { size, blocks } = await handle.stat();
  const unwritten = size - position - blocks * BLOCK_BYTES;
  return unwritten > MOST_HOLES ? unwritten : 0;
}

/** Reads from byte `position` to the end as it is now; returns the position reached. */
export async function readOn(
  handle: FileHandle,
  position: number,
  splitter: LineSplitter,
  onLine: OnLine,
): Promise<number> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const passed = await holes(handle, position);
  if (passed > 0) splitter.pass(passed, onLine);
  let reached = position + passed;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, reached);
    if (bytesRead === 0) return reached;
    reached += bytesRead;
    splitter.push(buffer.subarray(0, bytesRead), onLine);
  }
}
