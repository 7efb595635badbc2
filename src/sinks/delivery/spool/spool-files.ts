// The file operations that a spool needs; node's own unless the owner brings others.

import { constants } from 'node:fs';
import { mkdir, readdir, unlink } from 'node:fs/promises';
import { openOwn } from '../../../helpers/files/own-file.ts';

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
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
  read: constants.O_RDONLY,
  update: constants.O_RDWR | constants.O_CREAT,
} as const;

/** Messages may name hosts and jobs: only the daemon's user and group can read them. */
export const nodeFiles: SpoolFiles = {
  open: (path, mode) => openOwn(path, FLAGS[mode]),
  readdir: (path) => readdir(path),
  async mkdir(path) {
    await mkdir(path, { recursive: true, mode: 0o750 });
  },
  unlink: (path) => unlink(path),
};
