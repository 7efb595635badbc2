// Where the OTLP sink keeps things beneath the state directory.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { within } from '../../helpers/within.ts';

/** A disk that hangs holds up no start. */
const DISK_MS = 2_000;

export const spoolDirectory = (stateDirectory: string): string => join(stateDirectory, 'spool', 'otlp');

/** Up to where the incident log was sent. The file has its name from an earlier version, which could read it again. */
export function journalPath(stateDirectory: string): string {
  const directory = spoolDirectory(stateDirectory);
  return join(directory, 'told');
}

/** Where there is no journal, what is in the incident log counts as history and is not sent. Never rejects. */
export async function forgetJournal(stateDirectory: string): Promise<void> {
  await within(DISK_MS, rm(journalPath(stateDirectory), { force: true })).catch(() => false);
}
