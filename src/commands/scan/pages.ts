// Pages: what a scan found as `faultline explain` gives it for a browser or a ticket.

import { words } from '../../incidents/report/markdown/words.ts';
import { rootText, shortId } from '../../incidents/report/sentences.ts';
import type { Incident } from '../../model/incident.ts';
import { NOTHING_SAID } from '../../model/note.ts';
import { plain } from '../../model/plain.ts';
import { installationRoot } from '../../native.ts';
import { pageOf, pageOfSeveral } from '../common/give-report.ts';
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

/** One after the other for tickets, in one page for a browser; the gravest first, and before them which that is. `quiet`: what is said where none was found. */
export async function scanPages(
  format: 'html' | 'markdown',
  incidents: readonly Incident[],
  paths: readonly string[],
  { nextTo, dumps, quiet }: { readonly nextTo: readonly NextTo[]; readonly dumps: string | null; readonly quiet: string }, // biome-ignore format: one line
): Promise<string> {
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
  const inputs = byGravity(incidents).map((incident) => ({
    ...common,
    incident,
    nowMs: incident.updatedMs,
    nextTo: nextTo.flatMap(({ of, text }) => (of === incident.id ? [text] : [])),
    first: nextTo.find(({ of, first }) => of === incident.id && first !== undefined)?.first,
  }));
  const first = firstOfSeveral(incidents);
  if (format === 'html' && inputs.length !== 1) {
    const [title = '', ...notes] = first === null ? quiet.split('\n') : [first];
    return pageOfSeveral({ title, of: `faultline scan ${common.scanned}`, incidents: inputs, notes });
  }
  const pages = [];
  for (const input of inputs) pages.push(await pageOf(format, input));
  if (pages.length === 0) return `${quiet.split('\n').map(words).join('\n\n')}\n`;
  return [...(first === null ? [] : [`${words(first)}.\n`]), ...pages].join('\n');
}

function listOf(incidents: readonly Incident[]): string {
  const more = incidents.length > NAMED ? `, and ${incidents.length - NAMED} more` : '';
  const named = byGravity(incidents)
    .slice(0, NAMED)
    .map((one) => `${shortId(one.id)} (${plain(rootText(one), 120)})`);
  return `${named.join(', ')}${more}`;
}
