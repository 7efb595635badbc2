// The file operations that a spool needs; node's own unless somebody brings others.

import { constants } from 'node:fs';
import { mkdir, open, readdir, unlink } from 'node:fs/promises';

export interface SpoolHandle {
  write(bytes: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesWritten: number }>;
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  datasync(): Promise<void>;
  stat(): Promise<{ readonly size: number }>;
  close(): Promise<void>;
}

export interface SpoolFiles {
  open(path: string, mode: 'create' | 'read' | 'update'): Promise<SpoolHandle>;
  readdir(path: string): Promise<string[]>;
  mkdir(path: string): Promise<void>;
  unlink(path: string): Promise<void>;
}

const FLAGS = {
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
  read: constants.O_RDONLY | constants.O_NOFOLLOW,
  update: constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW,
} as const;

/** Requests may name hosts and jobs: only the daemon's user and group can read them. */
export const nodeFiles: SpoolFiles = {
  open: (path, mode) => open(path, FLAGS[mode], 0o640),
  readdir: (path) => readdir(path),
  async mkdir(path) {
    await mkdir(path, { recursive: true, mode: 0o750 });
  },
  unlink: (path) => unlink(path),
};
