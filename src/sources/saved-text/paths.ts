// Paths: the files that the arguments of a command name: files, folders with all that is below, wildcards, standard input.

import { constants } from 'node:fs';
import { type FileHandle, glob, lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { errorText } from '../../helpers/error-text.ts';
import { authorOf } from './author.ts';
import type { Bytes } from './bytes.ts';
import type { SavedInput } from './saved-input.ts';

const DEEPEST = 24;
const CHUNK_BYTES = 262_144;

export interface NamedFile {
  readonly path: string;
  /** Found in a folder: then no link is followed, and only a regular file is read. */
  readonly found: boolean;
  /** Bytes on disk; null where that is not known. */
  readonly size: number | null;
}

/** In a fixed order. `failed` is called with what cannot be looked at. */
export async function filesOf(
  paths: readonly string[],
  failed: (path: string, why: string) => void,
): Promise<NamedFile[]> {
  const files: NamedFile[] = [];
  for (const path of paths) {
    if (path === '-') files.push({ path, found: false, size: null });
    else for (const each of await matching(path)) await below(each, false, 0, files, failed);
  }
  return files;
}

/** A path that is there is itself, whatever characters it has. */
async function matching(path: string): Promise<string[]> {
  if (!/[*?[]/.test(path) || (await exists(path))) return [path];
  const found: string[] = [];
  for await (const each of glob(path)) found.push(each);
  return found.length === 0 ? [path] : found.sort();
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

async function below(
  path: string,
  found: boolean,
  depth: number,
  files: NamedFile[],
  failed: (path: string, why: string) => void,
): Promise<void> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | (found ? constants.O_NOFOLLOW : 0));
    const info = await file.stat();
    if (info.isDirectory()) {
      if (depth >= DEEPEST) return failed(path, `it is ${DEEPEST} folders deep`);
      const names = await readdir(path);
      await file.close();
      for (const name of names.sort()) await below(join(path, name), true, depth + 1, files, failed);
    } else if (info.isFile() || !found) files.push({ path, found, size: info.isFile() ? info.size : null });
  } catch (error) {
    // A link in a folder leads elsewhere: what it leads to is read where it lies.
    if (!(found && (error as NodeJS.ErrnoException).code === 'ELOOP')) failed(path, whyNot(error));
  }
}

/** In words, without the path that is reported with it. */
export function whyNot(error: unknown): string {
  const code = errorCode(error);
  return (code === null ? undefined : WHY[code]) ?? errorText(error);
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, no folder',
  EACCES: 'permission denied',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'the name is longer than a file name can be',
  EIO: 'the disk did not give it (EIO)',
};

/** A file, closed by who opened it: of a binary one the bytes are not read to their end. */
export interface OpenInput {
  readonly input: SavedInput;
  readonly close: () => Promise<void>;
}

/** `onBytes` is called with how many bytes came; rejects where it cannot be opened. */
export async function openInput(
  { path, found }: NamedFile,
  nowMs: number,
  onBytes: (count: number) => void,
): Promise<OpenInput> {
  if (path === '-') {
    const input = { name: 'stdin', savedMs: nowMs, bytes: counted(process.stdin, onBytes) };
    return { input, close: async () => {} };
  }
  const file = await open(path, constants.O_RDONLY | (found ? constants.O_NOFOLLOW : 0));
  const info = await file.stat();
  const author = info.isFile() ? await authorOf(path, info) : 'unknown';
  const input = { name: path, savedMs: info.isFile() ? info.mtimeMs : nowMs, author, bytes: ofFile(file, onBytes) };
  return { input, close: () => file.close() };
}

async function* counted(stream: AsyncIterable<Buffer | string>, onBytes: (count: number) => void): Bytes {
  for await (const piece of stream) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    onBytes(bytes.length);
    yield bytes;
  }
}

async function* ofFile(file: FileHandle, onBytes: (count: number) => void): Bytes {
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return;
    onBytes(bytesRead);
    yield buffer.subarray(0, bytesRead);
  }
}
