// The file that --out names: a new one, or one of our own; no link that others may have placed is followed.

import { close, fstat, ftruncate, type Stats, write } from 'node:fs';
import { promisify } from 'node:util';
import { descriptorOf } from '../../sources/files/checked-file.ts';

/** Rejects with `RefusedPath`, or with the system's error. */
export async function writeOut(path: string, text: string): Promise<void> {
  const fd = await descriptorOf(path, 'write');
  try {
    const info: Stats = await promisify(fstat)(fd);
    if (info.isFile()) await promisify(ftruncate)(fd, 0);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) {
      at += (await promisify(write)(fd, bytes, at, bytes.length - at, null)).bytesWritten;
    }
  } finally {
    await promisify(close)(fd);
  }
}
