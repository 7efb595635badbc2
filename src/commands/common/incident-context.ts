// Incident context: what the commands on the incident log share — where it is, where output goes, how they end.

import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Surroundings } from '../../config/directories.ts';
import { logFolder } from '../../config/log-folder.ts';
import { usePatternFolder } from '../../correlation/patterns/user/pattern-folder.ts';
import { errorCode } from '../../helpers/error-code.ts';
import { CURRENT } from '../../incidents/log/files.ts';
import { CommandError } from './run-command.ts';

export { CommandError, runCommand } from './run-command.ts';

export interface LogOptions {
  readonly config?: string;
  readonly logDirectory?: string;
}

/** Where the daemon that systemd runs writes its log. */
export const SYSTEM_LOG = '/var/log/faultline';

/**
 * The log directory that the command is about: the one named, the configuration's, and where that one says nothing
 * yet, the system daemon's — an ordinary user at 3 a.m. asks for the host's incidents, not for an empty folder of their own.
 */
export async function logDirectoryOf(
  options: LogOptions,
  systemLog = SYSTEM_LOG,
  surroundings?: Surroundings,
): Promise<string> {
  // What is wrong with a file of them, the daemon and `config check` report.
  await usePatternFolder(options.config ?? (process.env.FAULTLINE_CONFIG || null));
  if (options.logDirectory !== undefined) return options.logDirectory;
  const { log, by } = await logFolder(options.config, surroundings);
  if (by === 'named') return log;
  const own = sizeOf(join(log, CURRENT));
  const system = sizeOf(join(systemLog, CURRENT));
  // A log that this user may not see is not an empty one: without a log of the user's own, the command says so.
  if (system === 'hidden') return own === null ? systemLog : log;
  // The same where this user may not read which log the system's daemon was given.
  if (by === 'hidden' && own === null) return systemLog;
  return system !== null && !(typeof own === 'number' && own > 0) ? systemLog : log;
}

/** Where the socket of the daemon that writes the configuration's log is; the system daemon's is asked besides. */
export async function runtimeDirectoryOf({ config }: LogOptions, surroundings?: Surroundings): Promise<string> {
  return (await logFolder(config, surroundings)).runtime;
}

export const START_ONE = 'Start one: systemctl start faultline, or faultline run; or name the log with --log-directory';

/** Whoever has saved logs alone has no daemon, and asks for none. */
export const OF_SAVED = '. Saved logs need none: faultline scan PATH..., with --format html or markdown for a page';

/** Throws FL3127 where there is no log directory: nothing was found wrong there, nothing was looked at. */
export async function mustExist(directory: string, more = OF_SAVED): Promise<void> {
  try {
    if ((await stat(directory)).isDirectory()) return;
    throw new CommandError(1, `FL3127 ${directory} is a file, not a directory: name the one that ${CURRENT} lies in`);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new CommandError(1, `FL3127 ${directory} does not exist: no daemon has written incidents there. ${START_ONE}${more}`); // biome-ignore format: one line
  }
}

/** Bytes of a file, null where there is none, "hidden" where this user may not look. */
function sizeOf(path: string): number | 'hidden' | null {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? null;
  } catch (error) {
    return errorCode(error) === 'EACCES' ? 'hidden' : null;
  }
}
