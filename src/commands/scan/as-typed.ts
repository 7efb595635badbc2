// As typed: the commands of a report as they are started from here, for what goes into a ticket or a page; what a terminal shows is changed on its way there.

import { asStarted } from '../../helpers/own-program.ts';
import { shellWord } from '../../helpers/shell-word.ts';

/** Those that a report of a scan proposes. */
const PROPOSED = ['scan', 'explain', 'incidents', 'fr', 'bundle'];
/** A line to be pasted names so many at most. */
const MOST_PATHS = 3;

export function asTyped(text: string): string {
  return asStarted(PROPOSED)?.(text) ?? text;
}

/** What was named to be read, as it is typed once more; `PATH...` of many. */
export function pathWords(paths: readonly string[]): string {
  return paths.length > MOST_PATHS ? 'PATH...' : paths.map((path) => (path === '-' ? path : shellWord(path))).join(' ');
}
