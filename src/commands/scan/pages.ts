// Pages: what a scan found as `faultline explain` gives it for a browser or a ticket.

import { words } from '../../incidents/report/markdown/words.ts';
import { rootText, shortId } from '../../incidents/report/sentences.ts';
import type { Incident } from '../../model/incident.ts';
import { NOTHING_SAID } from '../../model/note.ts';
import { plain } from '../../model/plain.ts';
import { installationRoot } from '../../native.ts';
import { pageOf } from '../common/give-report.ts';
import { CommandError } from '../common/run-command.ts';
import { pathWords } from './as-typed.ts';
import type { NextTo } from './next-to.ts';
import { byGravity, firstOfSeveral } from './overview.ts';
import { SCAN_ZONE } from './zone.ts';

const NAMED = 10;
const LONGEST = 4096;

/** Throws FL3122 for what cannot be the beginning of an id. */
export function mustBeId(given: string | undefined): void {
  if (given === undefined || /^[0-9a-f]{4,64}$/i.test(given)) return;
  throw new CommandError(2, `FL3122 "${given}" is not an incident id: give at least four of its hex digits, as the scan prints them`); // biome-ignore format: one line
}

/** All of them where none is chosen. Throws FL3120 where none is of that id. */
export function chosen(incidents: readonly Incident[], given: string | undefined): Incident[] {
  if (given === undefined) return [...incidents];
  const some = incidents.filter(({ id }) => id.startsWith(given.toLowerCase()));
  if (some.length > 0) return some;
  const found = incidents.length === 0 ? 'it has none' : `there is ${listOf(incidents)}`;
  throw new CommandError(1, `FL3120 no incident ${given} in what was scanned: ${found}`);
}

/** For tickets one after the other, the gravest first, and before them which that is. Throws FL1406 where there is none for a page, or it would be of several. */
export async function scanPages(
  format: 'html' | 'markdown',
  incidents: readonly Incident[],
  paths: readonly string[],
  { nextTo, dumps }: { readonly nextTo: readonly NextTo[]; readonly dumps: string | null },
): Promise<string> {
  if (incidents.length === 0)
    throw new CommandError(1, `FL1406 no incident was found to write as ${format}: leave out --format to see what was read`); // biome-ignore format: one line
  if (format === 'html' && incidents.length > 1)
    throw new CommandError(2, `FL1406 a page is of one incident, and ${incidents.length} were found: choose one with --incident. There is ${listOf(incidents)}`); // biome-ignore format: one line
  const common = {
    timeZone: SCAN_ZONE,
    said: NOTHING_SAID,
    silent: null,
    samples: null,
    logPath: plain(paths.join(' '), LONGEST),
    scanned: plain(pathWords(paths), LONGEST),
    dumps,
    root: installationRoot(),
    place: null,
  };
  const pages = [];
  for (const incident of byGravity(incidents))
    pages.push(
      await pageOf(format, {
        ...common,
        incident,
        nowMs: incident.updatedMs,
        nextTo: nextTo.flatMap(({ of, text }) => (of === incident.id ? [text] : [])),
        first: nextTo.find(({ of, first }) => of === incident.id && first !== undefined)?.first,
      }),
    );
  const first = firstOfSeveral(incidents);
  return [...(first === null ? [] : [`${words(first)}.\n`]), ...pages].join('\n');
}

function listOf(incidents: readonly Incident[]): string {
  const more = incidents.length > NAMED ? `, and ${incidents.length - NAMED} more` : '';
  const named = byGravity(incidents)
    .slice(0, NAMED)
    .map((one) => `${shortId(one.id)} (${plain(rootText(one), 120)})`);
  return `${named.join(', ')}${more}`;
}
