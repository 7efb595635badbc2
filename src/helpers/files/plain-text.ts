// Plain text: what a file that a user named is, where it is not the text that is needed; in one line.

import type { Stats } from 'node:fs';

/** Continues the name of the file: "is a folder". Null for a regular file. */
export function whyNotFile(stat: Stats): string | null {
  if (stat.isFile()) return null;
  return stat.isDirectory() ? 'is a folder, not a file' : 'is not a regular file, but a device, a pipe or a socket';
}

/** The text of UTF-8 without a NUL; null for what is binary, or in another encoding. */
export function textOf(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

export const BINARY = 'is a binary file, not text in UTF-8';
