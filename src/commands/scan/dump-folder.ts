// Dump folder: where, among the files that a scan was given, the flight-recorder dumps of a job lie: `faultline fr` reads them.

import { dirname } from 'node:path';
import { readStart } from '../../helpers/read-start.ts';
import { CheckedFile } from '../../sources/files/checked-file.ts';
import type { NamedFile } from '../../sources/saved-text/paths.ts';

/** PyTorch puts the rank behind the prefix that TORCH_FR_DUMP_TEMP_FILE names; the usual one ends in "rank_". */
const NAME = /rank_?\d{1,7}(?:\.(?:pkl|pickle))?$/;
/** First byte of a pickle of protocol 2 and later. */
const PICKLE = 0x80;
/** Of more files the names are believed. */
const MOST_LOOKED_AT = 64;

/** The folder with most of them; null where there are none. */
export async function dumpFolderOf(files: readonly NamedFile[]): Promise<string | null> {
  const counts = new Map<string, number>();
  let looks = 0;
  for (const { path } of files) {
    if (!NAME.test(path)) continue;
    looks += 1;
    if (looks <= MOST_LOOKED_AT && !(await isPickle(path))) continue;
    const folder = dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most?.[0] ?? null;
}

async function isPickle(path: string): Promise<boolean> {
  const file = await CheckedFile.open(path).catch(() => null);
  if (file === null) return false;
  try {
    return (await readStart(file, 1))[0] === PICKLE;
  } finally {
    await file.close();
  }
}
