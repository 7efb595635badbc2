// Files of our own folders: opened without a link, never waiting for a FIFO's other end, and never another user's.

import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { errorCode } from '../error-code.ts';
import { readStart } from '../read-start.ts';

const MODE = 0o640;
const WRITES = constants.O_WRONLY | constants.O_RDWR;

function guarded(flags: number): number {
  return flags | constants.O_NOFOLLOW | constants.O_NONBLOCK;
}

/** Why it is not used; null where it may be. */
function objection(info: Stats, flags: number): { code: string; why: string } | null {
  if (!info.isFile()) return { code: 'ENOTREG', why: 'is not a regular file' };
  const self = process.geteuid?.() ?? info.uid;
  if ((flags & WRITES) === 0 || info.uid === self || info.uid === 0) return null;
  return { code: 'ENOTOWN', why: `belongs to uid ${info.uid}, not to this user (${self})` };
}

function refused(path: string, { code, why }: { code: string; why: string }): Error {
  return Object.assign(new Error(`${path} ${why}`), { code });
}

/** ENXIO: a FIFO without a reader, or a socket. ELOOP: mostly the link that is not followed. */
function explained(path: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === 'ENXIO') return refused(path, { code: 'ENOTREG', why: 'is not a regular file' });
  return code === 'ELOOP' && isLink(path)
    ? refused(path, { code, why: 'is a symbolic link, which is not followed (ELOOP)' })
    : error;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false; // a loop of links on the way to it, or gone again
  }
}

/** A regular file, to be read by anybody or written as our own or root's; an error has the `code` ENOTREG, ENOTOWN or ELOOP for others. */
export async function openOwn(path: string, flags: number): Promise<FileHandle> {
  const handle = await open(path, guarded(flags), MODE).catch((error: unknown) => {
    throw explained(path, error);
  });
  const why = objection(await handle.stat(), flags);
  if (why === null) return handle;
  await handle.close();
  throw refused(path, why);
}

/** The same at once. */
export function openOwnSync(path: string, flags: number): number {
  let fd: number;
  try {
    fd = openSync(path, guarded(flags), MODE);
  } catch (error) {
    throw explained(path, error);
  }
  const why = objection(fstatSync(fd), flags);
  if (why === null) return fd;
  closeSync(fd);
  throw refused(path, why);
}

/** Puts a file with this text at the path in one step, whatever lay there; `sync`: it is on disk before. */
export async function replaceOwn(path: string, text: string, { sync }: { readonly sync: boolean }): Promise<void> {
  const temporary = `${path}.new`;
  await unlink(temporary).catch(() => undefined);
  try {
    await writeNew(temporary, text, sync);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined); // half a file would keep what little room there is
    throw error;
  }
}

async function writeNew(path: string, text: string, sync: boolean): Promise<void> {
  await using file = await openOwn(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
  await file.writeFile(text);
  if (sync) await file.datasync();
}

/** At most `mostBytes` from its start. */
export async function readOwn(path: string, mostBytes: number): Promise<string> {
  await using file = await openOwn(path, constants.O_RDONLY);
  return (await readStart(file, Math.min((await file.stat()).size, mostBytes))).toString();
}
