// Notices that a configuration file was changed or replaced, where nothing can send a signal: a ConfigMap in a pod.

import { unwatchFile, watchFile } from 'node:fs';

/** kubelet itself takes up to a minute. */
const LOOK_MS = 5000;

/**
 * Calls `changed` after each change; a file that is gone is not one. Looks at what the path leads to, as kubelet swaps a link to a folder
 * and no event of the file system names the file. Keeps no process alive; returns what ends it.
 */
export function watchConfig(path: string, changed: () => void, lookMs = LOOK_MS): () => void {
  const look = (now: { ino: number; mtimeMs: number; size: number }, before: typeof now): void => {
    const same = now.ino === before.ino && now.mtimeMs === before.mtimeMs && now.size === before.size;
    if (!same && now.ino !== 0) changed();
  };
  watchFile(path, { interval: lookMs, persistent: false }, look);
  return () => unwatchFile(path, look);
}
