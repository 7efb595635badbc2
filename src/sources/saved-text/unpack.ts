// Unpack: what a stream was packed with, by its first bytes, and the stream without it.

import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import type { Bytes } from './bytes.ts';

export type Packing = 'gzip' | 'xz' | 'zstd' | 'tar';

const MAGIC: readonly (readonly [packing: Packing, at: number, bytes: Buffer])[] = [
  ['gzip', 0, Buffer.from([0x1f, 0x8b, 0x08])],
  ['xz', 0, Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00])],
  ['zstd', 0, Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ['tar', 257, Buffer.from('ustar')],
];
/** Of xz, whose dictionary says how much it takes: its own presets stay below. */
const MOST_MEMORY = '256MiB';

export function packedAs(head: Buffer): Packing | null {
  const found = MAGIC.find(([, at, bytes]) => head.subarray(at, at + bytes.length).equals(bytes));
  return found?.[0] ?? null;
}

/** Rejects where the stream is damaged, after what could be read of it. */
export async function* unpacked(bytes: Bytes, packing: Exclude<Packing, 'tar'>): Bytes {
  if (packing === 'xz') yield* withoutXz(bytes);
  else yield* through(bytes, packing === 'gzip' ? createGunzip() : createZstdDecompress());
}

async function* through(
  bytes: Bytes,
  plain: ReturnType<typeof createGunzip> | ReturnType<typeof createZstdDecompress>,
): Bytes {
  const fed = pipeline(Readable.from(bytes), plain).catch(() => {}); // its reader learns it
  try {
    for await (const piece of plain) yield piece;
  } finally {
    plain.destroy();
    await fed;
  }
}

/** Node has no decoder for it; the system's program has, and needs no right. */
async function* withoutXz(bytes: Bytes): Bytes {
  const xz = spawn('xz', ['--decompress', '--stdout', `--memlimit-decompress=${MOST_MEMORY}`], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' },
  });
  let said = '';
  xz.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, 200);
  });
  const ended = new Promise<string>((resolve) => {
    xz.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ENOENT' ? 'there is no xz: install xz-utils, or unpack it first' : error.message),
    );
    xz.once('close', (status) => resolve(status === 0 ? '' : said.trim() || `xz ended with status ${status}`));
  });
  const fed = pipeline(Readable.from(bytes), xz.stdin).catch(() => {}); // how xz ends says why
  try {
    for await (const piece of xz.stdout) yield piece;
    const why = await ended;
    if (why !== '') throw new Error(why);
  } finally {
    xz.kill();
    await fed;
  }
}
