// Creates the file of a recording: a new one, or in the place of an earlier recording of ours, which is kept once.

import { close, fstat } from 'node:fs';
import { lstat, rename } from 'node:fs/promises';
import { promisify } from 'node:util';
import { writeTrouble } from '../../helpers/files/file-trouble.ts';
import { CheckedFile, descriptorOf } from '../files/checked-file.ts';
import { RECORDING_SCHEMA } from './format.ts';

const fstatOf = promisify(fstat);
const closeOf = promisify(close);

/** A descriptor to write to. Throws FL1303 when it cannot. */
export async function createFile(path: string): Promise<number> {
  try {
    const link = await lstat(path).then((info) => info.isSymbolicLink(), () => false); // biome-ignore format: one question
    if (link) throw new Error('ELOOP, it is a symbolic link');
    const file = await descriptorOf(path, 'write');
    const { size } = await fstatOf(file);
    const why = await objection(path, file);
    if (why === null && size === 0) return file;
    await closeOf(file);
    if (why !== null) throw new Error(why);
    // The recording of the run before may be the one that shows why it ended: it is kept once, as FILE.1.
    await rename(path, `${path}.1`);
    return await descriptorOf(path, 'write');
  } catch (error) {
    const why = writeTrouble(error, path, 'Name another file');
    throw new Error(`FL1303 the recording ${path} cannot be written: ${why}`);
  }
}

/** Why the file must not be written over; null where it is empty or a recording. */
async function objection(path: string, file: number): Promise<string | null> {
  const stat = await fstatOf(file);
  if (!stat.isFile()) return 'it is not a regular file';
  if (stat.size === 0) return null;
  const start = Buffer.from(`{"schema":${JSON.stringify(RECORDING_SCHEMA)}`);
  const found = Buffer.alloc(start.length);
  await using readable = await CheckedFile.open(path);
  const same = (await readable.stat()).ino === stat.ino;
  await readable.read(found, 0, found.length, 0);
  return same && found.equals(start) ? null : 'it holds something that is not a recording';
}
