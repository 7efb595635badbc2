// Places of the NVSentinel sink in the state directory.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { within } from '../../helpers/within.ts';

/** A disk that hangs holds up no start. */
const DISK_MS = 2_000;

export function spoolDirectory(stateDirectory: string): string {
  return join(stateDirectory, 'spool', 'nvsentinel');
}

export function journalPath(stateDirectory: string): string {
  return join(spoolDirectory(stateDirectory), 'sent.jsonl');
}

/** Without a journal what is in the incident log counts as history: what happened in shadow mode is not sent after it. */
export async function forgetJournal(stateDirectory: string): Promise<void> {
  await within(DISK_MS, rm(journalPath(stateDirectory), { force: true })).catch(() => false);
}
