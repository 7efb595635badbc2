// Whether what lies at a path may decide what this daemon runs: only root, or who runs the daemon, could have put it there.
// A configuration of Slurm names plugins that its programs load: it is as good as a program.

import { lstat, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';

const STICKY = 0o1000;
/** Accounts of the system: a configuration of Slurm is often its service user's. */
const FIRST_PERSON = 1000;

export interface Trust {
  /** Where it is, with every link followed. */
  readonly path: string;
  /** Who else could change it, in words; null where no other user could. */
  readonly doubt: string | null;
  /** By what: who owns it, or who may write. */
  readonly by: 'owner' | 'mode' | null;
}

/** Null where nothing is there. `serviceUsers`: the owner may be a user of the system. */
export async function trusted(path: string, { serviceUsers = false } = {}): Promise<Trust | null> {
  const own = process.geteuid?.() ?? 0;
  try {
    const real = await realpath(path);
    for (let at = real; ; at = dirname(at)) {
      const { uid, gid, mode } = await lstat(at);
      const owned = uid === 0 || uid === own || (serviceUsers && uid < FIRST_PERSON);
      if (!owned) return { path: real, doubt: `${at} belongs to user ${uid}`, by: 'owner' };
      // In a folder with the sticky bit others make files of their own, and cannot replace this one.
      const isSticky = at !== real && (mode & STICKY) !== 0;
      if ((mode & 0o002) !== 0 && !isSticky) return { path: real, doubt: `every user may write ${at}`, by: 'mode' };
      if ((mode & 0o020) !== 0 && !isSticky && gid !== 0 && !(serviceUsers && gid < FIRST_PERSON))
        return { path: real, doubt: `group ${gid} may write ${at}`, by: 'mode' };
      if (at === '/') return { path: real, doubt: null, by: null };
    }
  } catch {
    return null;
  }
}
