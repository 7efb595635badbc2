// One instance per state directory: a kernel lock that dies with its holder, and the holder's pid for the message.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../config/make-folder.ts';

const SQLITE_BUSY = 5;
/** A handle that nobody refers to is closed by the garbage collector, and its lock with it. */
const held = new Set<DatabaseSync>();

export interface InstanceLock {
  release(): void;
}

/**
 * Takes the lock of `stateDirectory` for as long as this process lives. SQLite's exclusive transaction is the lock
 * because it is a kernel file lock: it survives no kill -9, needs no pid to be right, and holds across network and pid
 * namespaces that share the folder. Throws FL1201 with the first instance's pid, FL1202 when the folder is no use.
 */
export function lockInstance(stateDirectory: string): InstanceLock {
  const file = join(stateDirectory, 'instance.lock');
  // Beside the lock, not in it: closing any other handle of the locked file would drop the lock (fcntl, "Advisory").
  const pidFile = join(stateDirectory, 'instance.pid');
  let database: DatabaseSync | undefined;
  try {
    makeFolder(stateDirectory);
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o640 });
  } catch (error) {
    database?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      throw new Error(
        `FL1201 another faultline runs on ${stateDirectory}${holder(pidFile)}. Stop it, or set directories.state to another folder`,
      );
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `FL1202 ${stateDirectory} cannot hold the state: ${reason}. Make it writable for this user, or set directories.state`,
    );
  }
  const lock = database;
  held.add(lock);
  return {
    release() {
      if (held.delete(lock)) lock.close();
    },
  };
}

function holder(pidFile: string): string {
  try {
    const pid = readFileSync(pidFile, 'utf8').trim();
    return /^\d{1,10}$/.test(pid) ? `, pid ${pid}` : '';
  } catch {
    return '';
  }
}
