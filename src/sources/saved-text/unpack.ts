// Unpack: what a stream was packed with, by its first bytes, and the stream without it.

import { spawn } from 'node:child_process';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import type { Bytes } from './bytes.ts';

export type Packing = 'gzip' | 'xz' | 'bzip2' | 'zstd' | Archive;
export type Archive = 'tar' | 'zip';

const MAGIC: readonly (readonly [packing: Packing, at: number, bytes: Buffer])[] = [
  ['gzip', 0, Buffer.from([0x1f, 0x8b, 0x08])],
  ['xz', 0, Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00])],
  ['bzip2', 0, Buffer.from('BZh')],
  ['zstd', 0, Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ['tar', 257, Buffer.from('ustar')],
  ['zip', 0, Buffer.from('PK\u0003\u0004')],
];
/** Of xz, whose dictionary says how much it takes: its own presets stay below. */
const MOST_MEMORY = '256MiB';
const MOST_RATIO = 500;
/** Before that much is unpacked no ratio is asked for. */
const MOST_UNBOUNDED = 256 * 1_048_576;

export function packedAs(head: Buffer): Packing | null {
  const found = MAGIC.find(([, at, bytes]) => head.subarray(at, at + bytes.length).equals(bytes));
  return found?.[0] ?? null;
}

/** Rejects where the stream is damaged, after what could be read of it. */
export async function* unpacked(bytes: Bytes, packing: Exclude<Packing, Archive>): Bytes {
  if (packing === 'xz')
    yield* byProgram(bytes, 'xz', ['--decompress', '--stdout', `--memlimit-decompress=${MOST_MEMORY}`], 'xz-utils');
  else if (packing === 'bzip2') yield* byProgram(bytes, 'bzip2', ['--decompress', '--stdout'], 'bzip2');
  else yield* through(bytes, packing === 'gzip' ? createGunzip() : createZstdDecompress());
}

/** Text that was packed hardly ever gets a hundred times smaller; what does is made to fill a machine. */
export async function* bounded(bytes: Bytes, unpack: (bytes: Bytes) => Bytes): Bytes {
  let read = 0;
  let written = 0;
  async function* counted(): Bytes {
    for await (const piece of bytes) {
      read += piece.length;
      yield piece;
    }
  }
  for await (const piece of unpack(counted())) {
    written += piece.length;
    if (written > MOST_UNBOUNDED && written > MOST_RATIO * read)
      throw new Error(`it unpacks to more than ${MOST_RATIO} times its size: unpack it first if it is meant to`);
    yield piece;
  }
}

export async function* through(bytes: Bytes, plain: Transform): Bytes {
  const fed = pipeline(Readable.from(bytes), plain).catch(() => {}); // its reader learns it
  try {
    for await (const piece of plain) yield piece;
  } finally {
    plain.destroy();
    await fed;
  }
}

/** Node has no decoder for these; the system's program has, and needs no right. */
async function* byProgram(bytes: Bytes, program: string, args: readonly string[], from: string): Bytes {
  const unpacker = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' },
  });
  let said = '';
  unpacker.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, 200);
  });
  const ended = new Promise<string>((resolve) => {
    unpacker.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ENOENT' ? `there is no ${program}: install ${from}, or unpack it first` : error.message),
    );
    unpacker.once('close', (status) =>
      resolve(status === 0 ? '' : said.trim() || `${program} ended with status ${status}`),
    );
  });
  const fed = pipeline(Readable.from(bytes), unpacker.stdin).catch(() => {}); // how it ends says why
  try {
    for await (const piece of unpacker.stdout) yield piece;
    const why = await ended;
    if (why !== '') throw new Error(why);
  } finally {
    unpacker.kill();
    await fed;
  }
}
