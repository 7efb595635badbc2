// One instance per state directory: a kernel lock that dies with its holder, whose pid is in the file for the message.

import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../helpers/error-code.ts';
import { errorText } from '../helpers/error-text.ts';
import { makeFolder } from '../helpers/files/make-folder.ts';
import { openOwnSync } from '../helpers/files/own-file.ts';
import { readStartSync } from '../helpers/read-start.ts';
import { native } from '../native.ts';

const FILE = 'instance.lock';
/** Where releases before kept the pid. */
const OLD = 'instance.pid';
const TRIES = 3;

export interface InstanceLock {
  release(): void;
  /** Gives it up, and with it the file: for a start that failed and leaves nothing behind. */
  remove(): void;
}

/**
 * Takes the lock of `stateDirectory` for as long as this process lives. flock(2) survives no kill -9, needs no pid to be
 * right, and holds across network and pid namespaces that share the folder. Throws FL1201 with the first instance's pid,
 * FL1202 when the folder is of no use.
 */
export function lockInstance(stateDirectory: string): InstanceLock {
  let taken: Taken;
  try {
    makeFolder(stateDirectory);
    const { mode } = statSync(stateDirectory);
    if ((mode & 0o1002) === 0o002) throw new Error(`everybody may write it. Run: chmod o-w ${stateDirectory}`);
    taken = take(join(stateDirectory, FILE));
  } catch (error) {
    throw new Error(
      `FL1202 ${stateDirectory} cannot hold the state: ${errorText(error)}. ${remedyFor(error, stateDirectory)}`,
    );
  }
  if (typeof taken !== 'number') throw isHeld(stateDirectory, taken.holder);
  try {
    rmSync(join(stateDirectory, OLD), { force: true });
  } catch {} // whatever else has that name harms nothing
  let fd: number | null = taken;
  const release = (): void => {
    if (fd !== null) closeSync(fd);
    fd = null;
  };
  return {
    release,
    remove() {
      if (fd !== null) rmSync(join(stateDirectory, FILE), { force: true });
      release();
    },
  };
}

function remedyFor(error: unknown, stateDirectory: string): string {
  const code = errorCode(error);
  const inTheWay = code === 'ELOOP' || code === 'ENOTREG' || code === 'EISDIR';
  if (inTheWay) return `Remove ${join(stateDirectory, FILE)}: the daemon makes it again`;
  return `Make it writable for uid ${process.geteuid?.()}, or set directories.state`;
}

/** Throws FL1201 where another instance holds the lock at this moment; takes nothing and makes nothing. */
export function refuseWhereHeld(stateDirectory: string): void {
  let fd: number;
  try {
    fd = openOwnSync(join(stateDirectory, FILE), constants.O_RDONLY);
  } catch {
    return; // whoever takes the lock says why it cannot be had
  }
  const free = native().lockFile(fd);
  const holder = free ? '' : pidIn(fd);
  closeSync(fd);
  if (!free) throw isHeld(stateDirectory, holder);
}

function isHeld(stateDirectory: string, holder: string): Error {
  const pid = holder === '' ? '' : `, pid ${holder}`;
  return new Error(
    `FL1201 another faultline runs on ${stateDirectory}${pid}. Stop it, or set directories.state to another folder`,
  );
}

type Taken = number | { readonly holder: string };

function take(path: string): Taken {
  for (let left = TRIES; ; left -= 1) {
    const fd = openOwnSync(path, constants.O_RDWR | constants.O_CREAT);
    try {
      if (!native().lockFile(fd)) {
        const taken = { holder: pidIn(fd) };
        closeSync(fd);
        return taken;
      }
      // Whoever held it a moment ago may have removed it with the folder that it had made.
      const there = lstatSync(path, { throwIfNoEntry: false });
      if (there?.ino === fstatSync(fd).ino || left === 0) {
        ftruncateSync(fd);
        writeSync(fd, `${process.pid}\n`, 0);
        return fd;
      }
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    closeSync(fd);
  }
}

/** Empty where there is none. */
function pidIn(fd: number): string {
  const text = readStartSync(fd, 16).toString('latin1').trim();
  return /^\d{1,10}$/.test(text) ? text : '';
}
