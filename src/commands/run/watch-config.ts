// Notices that a configuration or a drop-in was changed or replaced, where nothing can send a signal: a ConfigMap in a pod.

import { unwatchFile, watchFile } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { dropInFolders, isDropIn } from '../../config/drop-ins.ts';
import { errorCode } from '../../helpers/error-code.ts';

/** kubelet itself takes up to a minute. */
const LOOK_MS = 5000;

/**
 * Calls `changed` after each change; a configuration that is gone is not one, a drop-in that came or went is. Looks at what the paths
 * lead to, as kubelet swaps a link to a folder and no event of the file system names the file. Keeps no process alive; returns what
 * ends it.
 */
export function watchConfig(path: string, changed: () => void, lookMs = LOOK_MS): () => void {
  const look = (now: { ino: number; mtimeMs: number; size: number }, before: typeof now): void => {
    const same = now.ino === before.ino && now.mtimeMs === before.mtimeMs && now.size === before.size;
    if (!same && now.ino !== 0) changed();
  };
  watchFile(path, { interval: lookMs, persistent: false }, look);
  const ends = dropInFolders(path).map((folder) => watchDropIns(folder, changed, lookMs));
  return () => {
    unwatchFile(path, look);
    for (const end of ends) end();
  };
}

function watchDropIns(folder: string, changed: () => void, lookMs: number): () => void {
  let before: string | null = null;
  let looking = false;
  const look = async (): Promise<void> => {
    // One at a time: a folder that hangs costs one look.
    if (looking) return;
    looking = true;
    const now = await signature(folder);
    looking = false;
    if (now === null) return;
    if (before !== null && now !== before) changed();
    before = now;
  };
  void look();
  const timer = setInterval(() => void look(), lookMs).unref();
  return () => clearInterval(timer);
}

/** What tells one state of the folder from another; null while it is being changed, or cannot be read. */
async function signature(folder: string): Promise<string | null> {
  const names = await readdir(folder).catch((error: unknown) => (errorCode(error) === 'ENOENT' ? [] : null));
  if (names === null) return null;
  const files = names.filter(isDropIn).sort();
  const stats = await Promise.all(files.map((name) => stat(join(folder, name)).catch(() => null)));
  if (stats.includes(null)) return null;
  return JSON.stringify(stats.map((each, i) => [files[i], each?.ino, each?.mtimeMs, each?.size]));
}
