// Root acts as whoever the folders belong to: what it writes there is theirs, and their links lead root nowhere.

import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { refuseWhereHeld } from '../../api/instance-lock.ts';
import type { Directories } from '../../config/directories.ts';
import { native } from '../../native.ts';
import { createFile } from '../../sources/recording/create-file.ts';

/** Names that an earlier command of root's may have left in a folder of the service. */
const OURS =
  /^(?:instance\.(?:lock|pid)|(?:boot|alive)\.json(?:\.new)?|incidents.*\.jsonl.*|[0-9a-f]+\.samples\.\w+(?:\.new)?|told(?:\.new)?|cursor|\d{12}\.spool|spool|otlp|metrics|logs|traces)$/;
/** The process that continues as the owner: the descriptor of its recording, or "-". */
const ACTS = 'FAULTLINE_ACTS_AS_OWNER';

export interface Owner {
  readonly user: number;
  readonly group: number;
}

/**
 * Whose folders these are, where root would write into another user's; null where they are root's, or we are not root.
 * Throws FL1206 where links of others are on the way, or more than one user has a say in it.
 */
export function ownerOf(folders: readonly string[], uid = process.geteuid?.()): Owner | null {
  if (uid !== 0) return null;
  const owners = new Map<number, Owner>();
  for (const path of folders) {
    const { users, group, reason } = native().placersOfFolder(resolve(path));
    if (reason !== '') throw new Error(`FL1206 root does not write into ${path}: ${reason}. Name the folder itself`);
    for (const user of users) owners.set(user, { user, group: group === 0 ? user : group });
  }
  if (owners.size > 1) {
    const who = [...owners.keys()].join(' and uid ');
    throw new Error(
      `FL1206 root does not write into ${folders.join(', ')}: uid ${who} may. Give them to one user: sudo chown -h USER: FOLDER`,
    );
  }
  return [...owners.values()][0] ?? null;
}

/** For a command that only writes: this process is that user's from here on. */
export function becomeOwner(folders: readonly string[]): void {
  const owner = ownerOf(folders);
  if (owner === null) return;
  for (const folder of folders) giveBack(folder, owner);
  process.setgroups?.([]);
  process.setgid?.(owner.group);
  process.setuid?.(owner.user);
}

/**
 * For the daemon: the same program continues in this process as the owner, with the two rights of the service. `out` is
 * opened before, with root's. Comes back where there is nothing to change; then or afterwards with what is kept open.
 */
export async function continueAsOwner(
  { state, log, runtime }: Directories,
  out: string | undefined,
): Promise<{ readonly recordTo?: number; readonly acts: boolean }> {
  const before = process.env[ACTS];
  delete process.env[ACTS];
  if (before !== undefined && process.geteuid?.() !== 0)
    return /^\d{1,5}$/.test(before) ? { recordTo: Number(before), acts: true } : { acts: true };
  const owner = ownerOf([state, log, runtime]);
  if (owner === null) return { acts: false };
  refuseWhereHeld(state);
  for (const folder of [state, log, runtime]) giveBack(folder, owner);
  const kept = out === undefined ? null : await createFile(resolve(out));
  const environment = {
    ...process.env,
    STATE_DIRECTORY: state,
    LOGS_DIRECTORY: log,
    RUNTIME_DIRECTORY: runtime,
    [ACTS]: kept === null ? '-' : String(kept),
  };
  return native().actAs({
    ...owner,
    program: process.execPath,
    arguments: [...process.execArgv, ...process.argv.slice(1)],
    environment: Object.entries(environment).map(([name, value]) => `${name}=${value ?? ''}`),
    ...(kept === null ? {} : { kept }),
  });
}

/** What root left there before, where it can be nothing else. */
function giveBack(folder: string, { user, group }: Owner): void {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return;
  }
  for (const name of names.filter((each) => OURS.test(each))) {
    const path = join(resolve(folder), name);
    native().giveTo(path, user, group);
    if (/^(?:spool|otlp|metrics|logs|traces)$/.test(name)) giveBack(path, { user, group });
  }
}
