// Shown error: a message as it may stand on a terminal or in the journal, whatever names and answers are in it.

import { redactUrls } from '../../model/redact.ts';
import { safeLines } from '../../model/safe-text.ts';
import { goesToJournal, journalPrefix } from './journal.ts';

const STDERR = 2;
const ERROR = 50;

/** In the journal each line carries its priority: a daemon that does not start is an error there too. */
export function shownError(message: string, environment = process.env): string {
  const text = safeLines(redactUrls(message));
  return goesToJournal(environment.JOURNAL_STREAM, STDERR) ? text.replace(/^/gm, journalPrefix(ERROR)) : text;
}
