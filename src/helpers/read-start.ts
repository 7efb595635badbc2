// Bounded read: the start of an open file, whatever its size says, as files of /proc and /sys have none.

import { readSync } from 'node:fs';

interface Readable {
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number | null,
  ): Promise<{ readonly bytesRead: number }>;
}

/** At most `mostBytes`; fewer where the file ends before. */
export async function readStart(file: Readable, mostBytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(mostBytes);
  let length = 0;
  while (length < mostBytes) {
    const { bytesRead } = await file.read(buffer, length, mostBytes - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

/** The same for a descriptor, on this thread. */
export function readStartSync(fd: number, mostBytes: number): Buffer {
  const buffer = Buffer.alloc(mostBytes);
  let length = 0;
  while (length < mostBytes) {
    const bytesRead = readSync(fd, buffer, length, mostBytes - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}
