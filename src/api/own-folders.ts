// Own folders: the lock of this instance, what in its folders is another user's, and nothing left behind by a start that failed.

import { accessSync, constants, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../helpers/error-code.ts';
import { missingFolders, removeEmpty } from '../helpers/files/make-folder.ts';
import { type InstanceLock, lockInstance } from './instance-lock.ts';

interface Directories {
  readonly state: string;
  readonly log: string;
  readonly runtime: string;
}

const MOST_NAMES = 4096;
/** The spool lies in folders of folders. */
const DEEPEST = 3;

export class OwnFolders {
  readonly #lock: InstanceLock;
  readonly #missing: readonly string[];
  readonly #newState: boolean;

  private constructor(lock: InstanceLock, missing: readonly string[], newState: boolean) {
    this.#lock = lock;
    this.#missing = missing;
    this.#newState = newState;
  }

  /** Throws FL1201 or FL1202, as `lockInstance` does. */
  static take({ state, log, runtime }: Directories): OwnFolders {
    const newState = missingFolders(state);
    const missing = [...new Set([...newState, ...missingFolders(log), ...missingFolders(runtime)])];
    missing.sort((a, b) => b.length - a.length);
    try {
      return new OwnFolders(lockInstance(state), missing, newState.length > 0);
    } catch (error) {
      removeEmpty(missing);
      throw error;
    }
  }

  release(): void {
    this.#lock.release();
  }

  /** Gives the lock up, and takes away what this start has made, as far as nothing is in it. */
  undo(): void {
    if (this.#newState) this.#lock.remove();
    else this.#lock.release();
    removeEmpty(this.#missing);
  }
}

/** One warning for each folder in which something belongs to another user, so that this one may not be able to write it. */
export function foreignFiles({ state, log }: Directories, user = process.geteuid?.() ?? -1): string[] {
  return [...new Set([state, log])].flatMap((folder) => {
    const found = [...shut(folder, user), ...foreign(folder, user, 0)];
    const first = found[0];
    if (first === undefined) return [];
    const more = found.length === 1 ? '' : ` and ${found.length - 1} more`;
    const give = `chown -h ${user}:${process.getegid?.() ?? user}`;
    return [
      `FL1207 ${first.path}${more} belong to uid ${first.uid}, not to this user (${user}), who may not be able to write there. Run: ` +
        `sudo find ${folder} -xdev -uid ${first.uid} '(' -type d -o -type f -links 1 ')' -exec ${give} {} +`,
    ];
  });
}

/** The folder itself, where it is another user's and this one may not write it. */
function shut(folder: string, user: number): { path: string; uid: number }[] {
  try {
    const { uid } = lstatSync(folder);
    if (uid !== user) accessSync(folder, constants.W_OK);
    return [];
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    const uid = ownerOf(folder);
    return uid === null ? [] : [{ path: folder, uid }]; // one that cannot be reached is reported by whoever needs it
  }
}

function ownerOf(folder: string): number | null {
  try {
    return statSync(folder).uid;
  } catch {
    return null;
  }
}

function foreign(folder: string, user: number, depth: number): { path: string; uid: number }[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .slice(0, MOST_NAMES)
      .flatMap((entry) => {
        const path = join(folder, entry.name);
        const uid = lstatSync(path, { throwIfNoEntry: false })?.uid ?? user;
        const own = uid === user ? [] : [{ path, uid }];
        return entry.isDirectory() && depth < DEEPEST ? [...own, ...foreign(path, user, depth + 1)] : own;
      });
  } catch {
    return []; // a folder that cannot be listed is reported by whoever needs it
  }
}
