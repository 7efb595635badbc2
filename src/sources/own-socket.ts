// A socket of ours in the file system: the place of one that an earlier run left is free again.

import { lstat, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { errorCode } from '../helpers/error-code.ts';

/** Takes away what an earlier run left; never anything but a socket on which no program listens. */
export async function removeSocket(path: string): Promise<void> {
  try {
    const found = await lstat(path);
    if (!found.isSocket()) throw new Error(`${path} is not a socket. Remove it, or name another path`);
    if (await answers(path)) throw new Error(`another program listens on ${path}. Stop it, or name another path`);
    await unlink(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', settle(true));
    socket.once('error', settle(false));
  });
}
