// The names in a folder that may be dumps, however many others somebody put there, in the order in which they are looked at.

import { opendir } from 'node:fs/promises';
import { matchesWildcard } from '../../wildcard.ts';

/** A million names take two seconds; of a folder with more some are not seen. */
const MAX_NAMES = 1_048_576;
/** Names that are kept for a look at their files. */
const MAX_CANDIDATES = 65_536;
/** Entries of a folder that come at once, each of which costs a few microseconds. */
const ENTRIES_READ = 256;
/** No dump, whatever stands in it; the recorder's own pipe among them. */
const OTHER = /\.(?:pipe|log|txt|md|py|ya?ml|html|out|err|part|tmp)$/;
/** As a recorder ends its names: the number of a rank. There are only so many of them. */
const NUMBERED = /(?:^|\D)(?:0|[1-9]\d{0,4})$/;

/** Those that end in a number as ranks have it come first: nobody can push them out of the way with made-up ones. */
export async function dumpNames(folder: string, pattern: string): Promise<readonly string[]> {
  const numbered: string[] = [];
  const others: string[] = [];
  let seen = 0;
  for await (const { name } of await opendir(folder, { bufferSize: ENTRIES_READ })) {
    seen += 1;
    if (seen > MAX_NAMES) break;
    if (!matchesWildcard(name, pattern) || OTHER.test(name)) continue;
    const list = NUMBERED.test(name) ? numbered : others;
    if (list.length < MAX_CANDIDATES) list.push(name);
  }
  // Shorter ones first: they are fewer.
  const byLength = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);
  return [...numbered.sort(byLength), ...others.sort(byLength)].slice(0, MAX_CANDIDATES);
}
