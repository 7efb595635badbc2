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
 * since not every file system tells of changes.
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
  let known = new Set((await listLogFiles(directory)).rotated);
  let file: Followed | null = null;
  while (!signal.aborted) {
    if (file !== null) file.position = await readOn(file.handle, file.position, file.splitter, take);
    const named = await stat(join(directory, CURRENT)).catch(() => null);
    const replaced = file !== null && named !== null && (named.ino !== file.ino || named.size < file.position);
    if (file === null || replaced) {
      if (file !== null) {
        // What was appended between the last read and the move, then whole files that came and went meanwhile.
        await readOn(file.handle, file.position, file.splitter, take);
        await file.handle.close();
        const { rotated } = await listLogFiles(directory);
        for (const name of rotated.filter((each) => !known.has(each))) await readWhole(join(directory, name), take);
        known = new Set(rotated);
      }
      file = await begin(join(directory, CURRENT));
      if (file !== null) continue;
    }
    await change(directory, signal, pollMs);
  }
  await file?.handle.close();
}

async function begin(path: string): Promise<Followed | null> {
  const handle = await openForReading(path).catch(() => null);
  if (handle === null) return null;
  return { handle, ino: (await handle.stat()).ino, splitter: new LineSplitter(), position: 0 };
}

async function readWhole(path: string, take: (line: Buffer | null) => void): Promise<void> {
  const file = await begin(path);
  if (file === null) return;
  await readOn(file.handle, 0, file.splitter, take);
  await file.handle.close();
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
