// Must have log: a folder that no daemon ever wrote to says nothing of the host; an empty list would say that nothing is wrong.

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ALIVE, type SignOfLife } from '../../incidents/log/alive.ts';
import { CURRENT, listLogFiles } from '../../incidents/log/files.ts';
import { CommandError, type LogOptions, mustExist, OF_SAVED, START_ONE } from '../common/incident-context.ts';
import { placeWords } from '../common/same-place.ts';
import { silenced } from './writer.ts';

/** Throws FL3127 where there is neither a log nor a daemon that would write it. */
export async function mustHaveLog(directory: string, sign: SignOfLife, options: LogOptions): Promise<void> {
  await mustExist(directory);
  if (await hasLog(directory)) return;
  if ((await silenced(directory, sign, options)) !== null) return;
  const inner = join(directory, 'log');
  const remedy = (await isThere(join(inner, CURRENT)))
    ? `That one is in it: --log-directory ${inner}`
    : options.logDirectory === undefined && placeWords(options) === ''
      ? `${START_ONE}${OF_SAVED}`
      : `Name the folder that ${CURRENT} lies in`;
  throw new CommandError(1, `FL3127 ${directory} has no incident log (${CURRENT}): no daemon has written there. ${remedy}`); // biome-ignore format: one line
}

async function hasLog(directory: string): Promise<boolean> {
  for (const name of [CURRENT, ALIVE]) if (await isThere(join(directory, name))) return true;
  const { rotated, numbered, torn } = await listLogFiles(directory);
  return rotated.length + numbered.length + torn.length > 0;
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}
