// Lines: reads a log file line by line in bounded memory.

import type { FileHandle } from 'node:fs/promises';
import { ownBytes } from '../../helpers/own-bytes.ts';
import { INCIDENT_SCHEMA } from '../../model/documents/incident.ts';
import { PART_SCHEMA } from '../../model/documents/incident-parts.ts';
import { MAX_LINE_BYTES } from './files.ts';

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;
const END = ownBytes('\n');
/**
 * A log is appended to and has no holes: of one with more than this of them only as much is read as was ever written. Not
 * less, as a file system that compresses has fewer blocks than bytes.
 */
const MOST_HOLES = 4 * 1024 ** 3;
const BLOCK_BYTES = 512;

/** The bytes are only good until it returns; null stands for a line that is too long. `offset`: of its first byte. */
export type OnLine = (line: Buffer | null, number: number, offset: number) => void;

/** Parts of a revision, which are nothing without the line behind them. */
const PART = ownBytes(`{"schema":"${PART_SCHEMA}"`);
const REVISION = ownBytes(`{"schema":"${INCIDENT_SCHEMA}"`);

/** Asked of each line of a long log: its last byte tells most of them apart without a call of native code. */
export function beginsWith(line: Buffer, head: Buffer): boolean {
  const last = head.length - 1;
  return line.length > head.length && line[last] === head[last] && head.compare(line, 0, head.length) === 0;
}

/** Whether the line is of parts, or begins with their lines. */
export function isPart(line: Buffer): boolean {
  return beginsWith(line, PART);
}

/**
 * Splits a stream of bytes into lines; a line over MAX_LINE_BYTES is handed over as null. A revision comes with the lines of its
 * parts before it, as they stand there; parts without their revision are left out.
 */
export class LineSplitter {
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #number = 0;
  /** Where the open line begins, and where the next chunk does. */
  #begun = 0;
  #next = 0;
  /** Lines of parts that came last, and where the first of them begins. */
  #parts: Buffer[] = [];
  #partsBytes = 0;
  #partsBegun = 0;

  /** So many bytes are not read: a line that no reader can have, and whatever is open ends. */
  pass(bytes: number, onLine: OnLine): void {
    this.#number += 1;
    this.#parts = [];
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
      this.#take(length > MAX_LINE_BYTES ? null : line, onLine);
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

  #take(line: Buffer | null, onLine: OnLine): void {
    if (line !== null && isPart(line)) {
      if (this.#parts.length === 0 || this.#partsBytes + line.length > MAX_LINE_BYTES) {
        this.#parts = [];
        this.#partsBytes = 0;
        this.#partsBegun = this.#begun;
      }
      this.#parts.push(Buffer.from(line), END);
      this.#partsBytes += line.length + END.length;
      return;
    }
    const parts = this.#parts;
    this.#parts = [];
    if (parts.length > 0 && line !== null && beginsWith(line, REVISION))
      onLine(Buffer.concat([...parts, line]), this.#number, this.#partsBegun);
    else onLine(line, this.#number, this.#begun);
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
