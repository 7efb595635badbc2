// Where the socket lies, and how its place is made ready without following links or taking it from a live daemon.

import { lstatSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { errorText } from '../helpers/error-text.ts';
import { makeFolder } from '../helpers/files/make-folder.ts';

/** sun_path holds 108 bytes with its end mark (linux/un.h). */
const MAX_PATH_BYTES = 107;
const PROBE_MS = 500;

export function socketPath(runtimeDirectory: string): string {
  return join(runtimeDirectory, 'faultline.sock');
}

/** Makes the folder, and removes the socket that a dead daemon left. Throws FL4110 to FL4112. */
export async function prepareSocketPath(runtimeDirectory: string): Promise<string> {
  const path = socketPath(runtimeDirectory);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw new Error(
      `FL4110 ${path} is too long for a socket (${MAX_PATH_BYTES} bytes). Set directories.runtime to a shorter path`,
    );
  }
  try {
    makeFolder(runtimeDirectory);
  } catch (error) {
    const reason = errorText(error);
    throw new Error(
      `FL4111 ${runtimeDirectory} cannot hold the socket: ${reason}. Make it writable for uid ${process.geteuid?.()}, or set directories.runtime`,
    );
  }
  const folder = lstatSync(runtimeDirectory);
  if (!folder.isDirectory() || ((folder.mode & 0o002) !== 0 && (folder.mode & 0o1000) === 0)) {
    throw new Error(
      `FL4111 ${runtimeDirectory} is not a folder that only its owner writes. Run: chmod o-w ${runtimeDirectory}`,
    );
  }
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return path;
  if (!there.isSocket())
    throw new Error(`FL4111 ${path} is there and is not a socket. Remove it, or set directories.runtime`);
  if (await answers(path)) {
    throw new Error(`FL4112 another daemon answers on ${path}. Stop it, or set directories.runtime to another folder`);
  }
  unlinkSync(path);
  return path;
}

/** True when something accepts connections there, or is too busy to refuse. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const done = (live: boolean) => {
      socket.destroy();
      resolve(live);
    };
    socket.setTimeout(PROBE_MS, () => done(true));
    socket.once('connect', () => done(true));
    socket.once('error', (error) => done('code' in error && error.code === 'EAGAIN'));
  });
}
