// Handed over: when each piece of a log was handed over, noted before it is. A run that was killed had handed over more than the
// places on the disk say; what is read again then comes with the time that it had, and is known as the same.

import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { openOwn, readOwn, replaceOwn } from '../../helpers/files/own-file.ts';
import { remember } from '../../helpers/remember.ts';

/** A piece of a file: bytes from the first line that was not handed over before it. */
interface Piece {
  readonly path: string;
  /** Device and inode. */
  readonly identity: string;
  readonly from: number;
  readonly to: number;
  readonly atMs: number;
}

const NAME = 'log-handed-over.jsonl';
/** Places are on the disk after ten seconds, on a slow one after some more: of older pieces nothing is read again. */
const KEPT_MS = 60_000;
/** So much is appended before it is written again without what is old. */
const ROOM_BYTES = 65_536;
/** Of a user who writes into many logs of long names as fast as they are read: the file is never larger, and the newest stay in it. */
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_KEPT_BYTES = MOST_BYTES / 4;
/** One that writes a long line a byte at a time cannot bring its lines further into the future. */
const MOST_AHEAD_MS = 1000;
/** Files that are read now. */
const MOST_FILES = 1024;
/** Lines of one piece have times of their own, in their order: 10 ns for each byte, which a number of ms since the epoch can still tell apart. */
const MS_A_BYTE = 1e-5;

const timeIn = ({ from, atMs }: Piece, offset: number): number =>
  lateInItsMs(atMs + Math.max(0, offset - from) * MS_A_BYTE);

/** In the upper half of each ms, in the same order: the incident log rounds to ms, and an event that comes again is known where the log has it no earlier. */
function lateInItsMs(timeMs: number): number {
  const whole = Math.floor(timeMs);
  return whole + 0.5 + (timeMs - whole) * 0.498;
}

export class HandedOver {
  readonly #path: string | null;
  /** Those of the run before, by path. */
  readonly #earlier = new Map<string, Piece[]>();
  /** How far they go, by path and identity. */
  readonly #covered = new Map<string, Map<string, number>>();
  #pieces: Piece[] = [];
  #file: FileHandle | null = null;
  #bytes = 0;
  #roomBytes = ROOM_BYTES;
  /** One write at a time, in their order. */
  #writing: Promise<void> = Promise.resolve();
  /** The time of this piece, by path: what is handed over now. */
  readonly #now = new Map<string, Piece>();

  /** `directory`: the state folder; null to note nothing. */
  constructor(directory: string | null) {
    this.#path = directory === null ? null : join(directory, NAME);
  }

  /** To be called once, before anything is noted. Never throws: what cannot be read is not known. */
  async read(): Promise<void> {
    if (this.#path === null) return;
    const text = await readOwn(this.#path, MOST_BYTES).catch(() => '');
    for (const line of text.split('\n')) {
      const piece = pieceOf(line);
      if (piece === null) continue;
      const known = this.#earlier.get(piece.path);
      if (known === undefined) this.#earlier.set(piece.path, [piece]);
      else known.push(piece);
      this.#pieces.push(piece);
      this.#cover(piece);
    }
  }

  /** Resolves once that is noted, so that a kill cannot lose it, or cannot be. What an earlier run handed over keeps its time. */
  async hand(path: string, identity: string, from: number, to: number, nowMs: number): Promise<void> {
    const last = this.#now.get(path);
    const behindMs = last === undefined ? nowMs : last.atMs + (last.to - last.from) * MS_A_BYTE;
    const atMs = Math.max(nowMs, Math.min(behindMs, nowMs + MOST_AHEAD_MS));
    const piece = { path, identity, from, to, atMs };
    remember(this.#now, path, piece, MOST_FILES);
    if (this.#path === null) return;
    const covered = this.#coveredTo(path, identity);
    if (to <= covered) return;
    const begin = Math.max(from, covered);
    const noted = { ...piece, from: begin, atMs: atMs + (begin - from) * MS_A_BYTE };
    this.#pieces.push(noted);
    this.#writing = this.#writing.then(() => this.#append(noted));
    await this.#writing;
  }

  /** When the line that begins there is handed over now. */
  timeOf(path: string, offset: number): number | null {
    const piece = this.#now.get(path);
    return piece === undefined ? null : timeIn(piece, offset);
  }

  /** When an earlier run handed over the line that begins there; null where that is not known. */
  earlierTimeOf(path: string, identity: string, offset: number): number | null {
    if (offset >= this.#coveredTo(path, identity)) return null;
    const piece = this.#earlier
      .get(path)
      ?.findLast((each) => each.identity === identity && each.from <= offset && offset < each.to);
    return piece === undefined ? null : timeIn(piece, offset);
  }

  async stop(): Promise<void> {
    await this.#writing;
    await this.#file?.close().catch(() => undefined); // nothing is left to do
    this.#file = null;
  }

  #cover({ path, identity, to }: Piece): void {
    const covered = this.#covered.get(path) ?? new Map<string, number>();
    this.#covered.set(path, covered.set(identity, Math.max(covered.get(identity) ?? 0, to)));
  }

  #coveredTo(path: string, identity: string): number {
    return this.#covered.get(path)?.get(identity) ?? 0;
  }

  /** A disk that is full or gone takes none: then what a kill makes be read again is reported again, as of a later time. */
  async #append(piece: Piece): Promise<void> {
    if (this.#path === null) return;
    try {
      if (this.#file === null || this.#bytes > this.#roomBytes) await this.#begin(this.#path, piece.atMs);
      else this.#bytes += (await this.#file.write(lineOf(piece))).bytesWritten;
    } catch {
      await this.#file?.close().catch(() => undefined); // it is opened again with the next piece
      this.#file = null;
    }
  }

  /** A file without what is old. */
  async #begin(path: string, nowMs: number): Promise<void> {
    await this.#file?.close();
    this.#file = null;
    const lines = this.#newest(nowMs).map(lineOf);
    const text = lines.join('');
    await replaceOwn(path, text, { sync: false });
    this.#file = await openOwn(path, constants.O_WRONLY | constants.O_APPEND);
    this.#bytes = Buffer.byteLength(text);
    this.#roomBytes = this.#bytes * 2 + ROOM_BYTES;
  }

  /** Forgets the others. */
  #newest(nowMs: number): readonly Piece[] {
    const recent = this.#pieces.filter(({ atMs }) => Math.abs(nowMs - atMs) <= KEPT_MS);
    let bytes = 0;
    const before = recent.findLastIndex((piece) => {
      bytes += Buffer.byteLength(lineOf(piece));
      return bytes > MOST_KEPT_BYTES;
    });
    this.#pieces = recent.slice(before + 1);
    return this.#pieces;
  }
}

function lineOf(piece: Piece): string {
  return `${JSON.stringify(piece)}\n`;
}

/** Null for a line that is none: torn by the end of its run, or not ours. */
function pieceOf(line: string): Piece | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const { path, identity, from, to, atMs } = (value ?? {}) as Record<string, unknown>; // each is looked at
  const isPlace = (offset: unknown): offset is number => Number.isSafeInteger(offset) && Number(offset) >= 0;
  if (typeof path !== 'string' || typeof identity !== 'string' || typeof atMs !== 'number') return null;
  return isPlace(from) && isPlace(to) && Number.isFinite(atMs) ? { path, identity, from, to, atMs } : null;
}
