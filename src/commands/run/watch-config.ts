// Notices that a configuration or a drop-in was changed or replaced, where nothing can send a signal: a ConfigMap in a pod.

import { unwatchFile, watchFile } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { dropInFolders, isDropIn } from '../../config/drop-ins.ts';
import { errorCode } from '../../helpers/error-code.ts';

/** kubelet itself takes up to a minute. */
const LOOK_MS = 5000;

export interface OnChange {
  readonly changed: () => void;
  /** It is empty: most likely a save that is not done, and never a configuration. */
  readonly emptied: () => void;
}

/**
 * Calls `changed` after each change, once two looks in a row show the same: an editor that is still at it is waited for. A
 * configuration that is gone is not one, and neither is an empty one; a drop-in that came or went is. Looks at what the paths lead
 * to, as kubelet swaps a link to a folder and no event of the file system names the file. Keeps no process alive; returns what ends
 * it.
 */
export function watchConfig(path: string, { changed, emptied }: OnChange, lookMs = LOOK_MS): () => void {
  let settling: NodeJS.Timeout | null = null;
  const settle = async (seen: State): Promise<void> => {
    const now = await stat(path).catch(() => null);
    // What changed again since comes as a change of its own.
    if (now === null || !isSame(now, seen)) return;
    if (now.size === 0) emptied();
    else changed();
  };
  const look = (now: State, before: State): void => {
    if (isSame(now, before) || now.ino === 0) return;
    if (settling !== null) clearTimeout(settling);
    settling = setTimeout(() => void settle(now), lookMs).unref();
  };
  watchFile(path, { interval: lookMs, persistent: false }, look);
  const ends = dropInFolders(path).map((folder) => watchDropIns(folder, changed, lookMs));
  return () => {
    if (settling !== null) clearTimeout(settling);
    unwatchFile(path, look);
    for (const end of ends) end();
  };
}

interface State {
  readonly ino: number;
  readonly mtimeMs: number;
  readonly size: number;
}

function isSame(a: State, b: State): boolean {
  return a.ino === b.ino && a.mtimeMs === b.mtimeMs && a.size === b.size;
}

function watchDropIns(folder: string, changed: () => void, lookMs: number): () => void {
  let taken: string | null = null;
  let last: string | null = null;
  let looking = false;
  const look = async (): Promise<void> => {
    // One at a time: a folder that hangs costs one look.
    if (looking) return;
    looking = true;
    const now = await signature(folder);
    looking = false;
    if (now === null) return;
    const isSettled = now === last;
    last = now;
    if (taken === null) taken = now;
    if (!isSettled || now === taken) return;
    taken = now;
    changed();
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
