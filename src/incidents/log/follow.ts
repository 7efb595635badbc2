// Follow: hands over each line of the log as it is written, through rotation and files moved away.

import { watch } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CURRENT, listLogFiles, openForReading } from './files.ts';
import { LineSplitter, readOn } from './lines.ts';

interface Followed {
  readonly handle: FileHandle;
  readonly ino: number;
  readonly splitter: LineSplitter;
  position: number;
}

/**
 * Reads on until `signal` is aborted, beginning with the current file's first line. A line may come more than once
 * (after a rotation): the reader of documents tells by id and revision. Looks at the files at least every `pollMs`,
 * since not every file system reports changes.
 */
export async function followLog(
  directory: string,
  onLine: (line: string) => void,
  signal: AbortSignal,
  pollMs = 500,
): Promise<void> {
  const take = (line: Buffer | null): void => {
    if (line !== null && line.length > 0) onLine(line.toString());
  };
  let known: ReadonlySet<string> = new Set((await listLogFiles(directory)).rotated);
  let file: Followed | null = null;
  while (!signal.aborted) {
    if (file !== null) file.position = await readOn(file.handle, file.position, file.splitter, take);
    const named = await stat(join(directory, CURRENT)).catch(() => null);
    const replaced = file !== null && named !== null && (named.ino !== file.ino || named.size < file.position);
    if (file === null || replaced) {
      // Opened before the directory is listed: a file that is rotated later than this is noticed by its inode.
      const next = await begin(join(directory, CURRENT));
      // What was appended between the last read and the move.
      if (file !== null) await readOn(file.handle, file.position, file.splitter, take);
      known = await readRotated(directory, known, [file?.ino, next?.ino], take);
      await file?.handle.close();
      file = next;
      if (file !== null) continue;
    }
    await change(directory, signal, pollMs);
  }
  await file?.handle.close();
}

async function begin(path: string): Promise<Followed | null> {
  const handle = await openForReading(path).catch(() => null);
  if (handle === null) return null;
  try {
    return { handle, ino: (await handle.stat()).ino, splitter: new LineSplitter(), position: 0 };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads the files that were rotated since, whole, save those that are open; returns the names of all rotated files. */
async function readRotated(
  directory: string,
  known: ReadonlySet<string>,
  open: readonly (number | undefined)[],
  take: (line: Buffer | null) => void,
): Promise<ReadonlySet<string>> {
  const { rotated } = await listLogFiles(directory);
  for (const name of rotated.filter((each) => !known.has(each))) {
    const file = await begin(join(directory, name));
    if (file === null) continue;
    await using handle = file.handle;
    if (!open.includes(file.ino)) await readOn(handle, 0, file.splitter, take);
  }
  return new Set(rotated);
}

/** Resolves when something in the directory changed, when the time is up, or when the signal is aborted. */
function change(directory: string, signal: AbortSignal, pollMs: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = new AbortController();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      stop.abort();
      resolve();
    };
    const timer = setTimeout(done, pollMs);
    signal.addEventListener('abort', done, { once: true });
    try {
      watch(directory, { signal: stop.signal }, done).on('error', () => undefined);
    } catch {
      // No watch to be had (inotify limit, no directory yet): the poll does it.
    }
  });
}
