// The file that --out names: a new one, or one of our own; no link that others may have placed is followed.

import {
  close,
  constants,
  fchmod,
  fchown,
  fstat,
  ftruncate,
  open,
  realpath,
  rename,
  type Stats,
  unlink,
  write,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../../helpers/error-code.ts';
import { descriptorOf } from '../../sources/files/checked-file.ts';

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** The file may be written, and its folder may not. */
const NO_NEW_FILE: readonly (string | null)[] = ['EACCES', 'EPERM', 'EROFS'];

/** What is there stays as it is until all of the text is written. Rejects with `RefusedPath`, or with the system's error. */
export async function writeOut(path: string, text: string): Promise<void> {
  const fd = await descriptorOf(path, 'write');
  try {
    const info: Stats = await promisify(fstat)(fd);
    if (info.isFile() && (await replaced(path, text, info))) return;
    if (info.isFile()) await promisify(ftruncate)(fd, 0);
    await writeAll(fd, text);
  } finally {
    await promisify(close)(fd);
  }
}

/** Written next to it and put in its place; false where nothing can be made there. */
async function replaced(path: string, text: string, { mode, uid, gid }: Stats): Promise<boolean> {
  // A link that was followed stays one.
  const target = await promisify(realpath)(path);
  const neighbour = join(dirname(target), `.${basename(target)}.${process.pid}`);
  let fd: number;
  try {
    fd = await promisify(open)(neighbour, NEW, mode & 0o777);
  } catch (error) {
    if (NO_NEW_FILE.includes(errorCode(error))) return false;
    throw error;
  }
  try {
    await promisify(fchown)(fd, uid, gid);
    await promisify(fchmod)(fd, mode & 0o777);
    await writeAll(fd, text);
    await promisify(rename)(neighbour, target);
  } catch (error) {
    await promisify(unlink)(neighbour);
    throw error;
  } finally {
    await promisify(close)(fd);
  }
  return true;
}

async function writeAll(fd: number, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    at += (await promisify(write)(fd, bytes, at, bytes.length - at, null)).bytesWritten;
  }
}
