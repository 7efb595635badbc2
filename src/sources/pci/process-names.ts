// Process names: the processes of the host and what each is called, by single small files that are let go of again.

import { join } from 'node:path';
import type { SmallFiles } from '../files/small-files.ts';

export async function pids(files: SmallFiles, proc: string): Promise<string[]> {
  return ((await files.list(proc)) ?? []).filter((name) => /^[1-9]\d{0,9}$/.test(name));
}

/** A file of a process; null where the process is gone, or may not be looked at. */
export async function ofProcess(files: SmallFiles, proc: string, pid: string, file: string): Promise<string | null> {
  const path = join(proc, pid, file);
  const text = await files.read(path);
  files.forget(path);
  return text;
}
