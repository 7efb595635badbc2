// A file of a folder that several hosts share: only one of this user's or root's is read, whoever else may write there.

import { constants } from 'node:fs';
import { errorCode } from '../../../helpers/error-code.ts';
import { openOwn } from '../../../helpers/files/own-file.ts';
import { readStart } from '../../../helpers/read-start.ts';

/** What is in it; null where there is none, or nothing that can be read. Rejects for one of another user's. */
export async function readShared(path: string, mostBytes: number): Promise<unknown> {
  let text: string;
  try {
    await using file = await openOwn(path, constants.O_RDONLY);
    const { uid, size } = await file.stat();
    const self = process.geteuid?.() ?? uid;
    if (uid !== self && uid !== 0) {
      throw Object.assign(new Error(`${path} belongs to uid ${uid}, not to this user (${self})`), { code: 'ENOTOWN' });
    }
    if (size > mostBytes) return null;
    text = (await readStart(file, size)).toString();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
