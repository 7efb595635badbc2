// Rotated: the rest of a log that was moved aside or copied, perhaps packed, before all of it was read: found among its neighbours.

import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import type { NamedBy } from '../../model/native-files.ts';
import { CheckedFile } from '../files/checked-file.ts';
import { LineSplitter, type SplitLine } from './line-splitter.ts';
import { markOfBytes, type Place } from './places.ts';

/** "train.log.1", "train.log-20261129.gz": the newest of those that begin with the log's name. */
const MOST_NEIGHBOURS = 16;
const MOST_NAMES = 4096;
const CHUNK_BYTES = 262_144;
/** What is handed over: the newest. It is read again at a start that follows a crash. */
const KEPT_BYTES = 1024 * 1024;
const KEPT_LINES = 20_000;
const NEWLINE = 0x0a;
/** Lines of so much are made at once. */
const SLICE_BYTES = 65_536;
/** What is unpacked of one. */
const MOST_PASSED = 256 * 1024 * 1024;

/** The newest lines of a rest, made a slice at a time. */
export class Rest {
  readonly #bytes: Buffer;
  readonly #splitter: LineSplitter;
  /** Bytes of it that are not handed over. */
  readonly leftOut: number;
  #at = 0;

  /** `bytes`: the last of a rest that begins at `offset`, and of which `leftOut` bytes are left out before them. */
  constructor(bytes: Buffer, offset: number, leftOut: number) {
    const cut = newestLines(bytes);
    this.#bytes = bytes.subarray(cut);
    this.leftOut = leftOut + cut;
    this.#splitter = new LineSplitter(offset + this.leftOut, leftOut > 0 && cut === 0);
  }

  get isOver(): boolean {
    return this.#at >= this.#bytes.length;
  }

  next(): SplitLine[] {
    const slice = this.#bytes.subarray(this.#at, this.#at + SLICE_BYTES);
    this.#at += slice.length;
    return this.#splitter.push(slice);
  }
}

/** Where the last lines begin that are handed over. */
function newestLines(bytes: Buffer): number {
  let at = bytes.length;
  for (let lines = 0; at >= 0 && lines <= KEPT_LINES; lines += 1)
    at = at === 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1);
  return at + 1;
}

/** What is behind the place, in a neighbour that is that file or begins as it did; null where there is none. Never rejects. */
export async function restOf(path: string, place: Place, namedBy: NamedBy | null): Promise<Rest | null> {
  for (const neighbour of await neighboursOf(path)) {
    const rest = await restIn(neighbour, place, namedBy).catch(() => null); // gone, damaged, or not to be read
    if (rest !== null) return rest;
  }
  return null;
}

async function neighboursOf(path: string): Promise<string[]> {
  const [directory, name] = [dirname(path), basename(path)];
  const names = (await readdir(directory).catch(() => [])).slice(0, MOST_NAMES);
  const paths = names.filter((each) => each !== name && each.startsWith(name)).map((each) => join(directory, each));
  const found = await Promise.all(
    paths
      .slice(0, 8 * MOST_NEIGHBOURS)
      .map(async (each) => ({ each, at: (await stat(each).catch(() => null))?.mtimeMs ?? 0 })),
  );
  return found.sort((a, b) => b.at - a.at).slice(0, MOST_NEIGHBOURS).map(({ each }) => each); // biome-ignore format: one line
}

/** Null where it is another file. */
async function restIn(path: string, { offset, mark }: Place, namedBy: NamedBy | null): Promise<Rest | null> {
  if (mark.length === 0 || offset > MOST_PASSED) return null;
  await using file = await CheckedFile.open(path, namedBy ?? undefined);
  const kept: Buffer[] = [];
  let [bytesKept, leftOut] = [0, 0];
  let head: Buffer = Buffer.alloc(0);
  let known = false;
  let at = 0;
  for await (const piece of plain(file)) {
    if (!known) {
      head = Buffer.concat([head, piece]);
      if (head.length < mark.length) continue;
      if (markOfBytes(head.subarray(0, mark.length)).hash !== mark.hash) return null;
      known = true;
    }
    const bytes = at === 0 ? head : piece;
    const from = Math.max(0, offset - at);
    at += bytes.length;
    head = Buffer.alloc(0);
    if (from < bytes.length) {
      kept.push(bytes.subarray(from));
      bytesKept += bytes.length - from;
    }
    for (let first = kept[0]; first !== undefined && bytesKept - first.length >= KEPT_BYTES; first = kept[0]) {
      kept.shift();
      bytesKept -= first.length;
      leftOut += first.length;
    }
    if (at > MOST_PASSED) break;
  }
  return known ? new Rest(Buffer.concat(kept), offset, leftOut) : null;
}

/** Its bytes, unpacked where it is packed. */
async function* plain(file: CheckedFile): AsyncGenerator<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
  const magic = buffer.toString('hex', 0, bytesRead);
  const unpack = magic.startsWith('1f8b') ? createGunzip() : magic === '28b52ffd' ? createZstdDecompress() : null;
  if (unpack === null) return yield* raw(file);
  const source = Readable.from(raw(file));
  source.once('error', (error) => unpack.destroy(error));
  try {
    for await (const piece of source.pipe(unpack)) yield Buffer.from(piece as Uint8Array); // what zlib gives
  } finally {
    source.destroy();
    unpack.destroy();
  }
}

async function* raw(file: CheckedFile): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
