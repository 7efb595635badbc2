// The command `incidents`: lists what the incident log holds, newest last, and continues with each new revision.

import { type Command, Option } from 'commander';
import { remember } from '../helpers/remember.ts';
import { type SignOfLife, signOfLife } from '../incidents/log/alive.ts';
import { followLog } from '../incidents/log/follow.ts';
import { loadIncidents } from '../incidents/log/load.ts';
import { loadNotes } from '../incidents/log/load-notes.ts';
import { parseLine } from '../incidents/log/read-log.ts';
import { NoteBook } from '../incidents/notes/note-book.ts';
import { reliabilityOf } from '../incidents/reliability.ts';
import { renderIncidentLine } from '../incidents/report/line.ts';
import { reliabilityToDocument, renderReliability } from '../incidents/report/reliability.ts';
import { INCIDENT_SCHEMA, incidentFromDocument, incidentToDocument } from '../model/documents/incident.ts';
import { NOTE_SCHEMA, noteFromDocument, saidToDocument } from '../model/documents/note.ts';
import type { Incident } from '../model/incident.ts';
import type { Said } from '../model/note.ts';
import { SEVERITIES, type Severity } from '../model/severity.ts';
import { shownJson } from '../model/shown-json.ts';
import { formatTime } from '../model/time.ts';
import {
  CommandError,
  type IncidentCommandDeps,
  type LogOptions,
  logDirectoryOf,
  mustExist,
  processDeps,
  runCommand,
} from './incident-context.ts';
import { failsOn } from './incidents/fail-on.ts';
import { type FilterOptions, filterText, incidentFilter } from './incidents/filter.ts';
import { asOfMs, silentText, watchWriter } from './incidents/writer.ts';
import { parseSince } from './since.ts';

interface IncidentsOptions extends LogOptions, FilterOptions {
  readonly follow?: boolean;
  readonly failOn?: Severity;
  readonly reliability?: boolean;
  readonly json?: boolean;
}

const LISTED = 20_000;
const STATUSES = `
Exit status: 0 done; 1 the log could not be read, or with --fail-on an incident that counts is listed; 2 wrong usage.

An incident counts that is open, of that severity or worse, and not known to be rooted elsewhere. One that was injected or is unconfirmed does not.
`;

export function registerIncidents(program: Command, deps: IncidentCommandDeps = processDeps()): void {
  const severity = (flags: string, text: string): Option => new Option(flags, text).choices(SEVERITIES);
  program
    .command('incidents')
    .description('list the incidents in the local log')
    .option('--follow', 'continue with each new revision')
    .option('--since <time>', 'only those open or changed since: 10m, 2h, 3d, or RFC 3339')
    .option('--open', 'only those that are open')
    .option('--unacked', 'only those that nobody looks after: open and not acknowledged')
    .addOption(severity('--severity <severity>', 'only those of this severity or worse'))
    .option('--kind <kind>', 'only those with a root of this kind; * for any characters, may be repeated', collect)
    .option('--component <component>', 'only those about this component, as type/id')
    .option('--job <job>', 'only those about this job or service')
    .addOption(severity('--fail-on <severity>', 'end with status 1 where one listed is open and this severe or worse'))
    .option('--reliability', 'how often they were right, by the verdicts in the log')
    .option('--json', 'one document a line')
    .option('--config <file>', 'configuration that names the log directory')
    .option('--log-directory <directory>', 'read the log of this directory')
    .addHelpText('after', STATUSES)
    .action((options: IncidentsOptions) => runCommand(deps, (closed) => listIncidents(options, deps, closed)));
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

async function listIncidents(options: IncidentsOptions, deps: IncidentCommandDeps, closed: AbortSignal): Promise<void> {
  const sinceMs = sinceOf(options, deps.now());
  const filter = incidentFilter(options, sinceMs);
  refuseTogether(options);
  const directory = await logDirectoryOf(options);
  await mustExist(directory);
  const { incidents, warnings } = await loadIncidents(directory, { limit: LISTED, withEvents: () => false });
  const book = new NoteBook(await loadNotes(directory), LISTED);
  const sign = await signOfLife(directory, deps.now());
  for (const warning of warnings.list()) deps.stderr.write(`${warning}\n`);
  if (warnings.unreadable > 0) deps.status(1);
  const wanted = (incident: Incident): boolean => filter(incident, book.of(incident.id));
  const shown = incidents.filter(wanted).sort((a, b) => a.openedMs - b.openedMs);
  if (options.reliability === true) {
    const judged = shown.filter(({ updatedMs }) => updatedMs >= sinceMs);
    const reliability = reliabilityOf(judged, (id) => book.of(id));
    const json = options.json === true;
    deps.stdout.write(`${json ? shownJson(reliabilityToDocument(reliability)) : renderReliability(reliability)}\n`);
    return;
  }
  const silent = silentText(sign, deps.timeZone);
  // An empty list says nothing of the time since; only of a log that no daemon ever wrote is there nothing to say.
  const isWorthIt = silent !== null && (incidents.length > 0 || sign.lastMs !== null);
  if (isWorthIt) deps.stderr.write(`${silent}\n`);
  for (const incident of shown) show(incident, book.of(incident.id), options, deps, sign);
  if (shown.length === 0 && options.json !== true && warnings.unreadable === 0) {
    deps.stderr.write(`no incidents in ${directory}${filterText(options)}\n`);
  }
  const { failOn } = options;
  if (failOn !== undefined && shown.some((incident) => failsOn(incident, failOn))) deps.status(1);
  if (options.follow !== true || closed.aborted) return;
  if (silent !== null && !isWorthIt) deps.stderr.write(`${silent}\n`);
  const told = new Map(incidents.map((incident) => [incident.id, incident]));
  const tell = (incident: Incident): void => {
    if (wanted(incident)) show(incident, book.of(incident.id), options, deps, null);
  };
  const onLine = (line: string): void => {
    const document = parseLine(line);
    if (document?.schema === NOTE_SCHEMA) {
      const about = heard(book, document);
      const incident = about === null ? undefined : told.get(about);
      if (incident !== undefined) tell(incident);
      return;
    }
    const incident = document?.schema === INCIDENT_SCHEMA ? incidentFromDocument(document) : null;
    if (incident === null || incident.revision <= (told.get(incident.id)?.revision ?? 0)) return;
    remember(told, incident.id, incident, LISTED);
    tell(incident);
  };
  const stop = AbortSignal.any([closed, deps.signal()]);
  watchWriter(directory, sign, deps, stop);
  await followLog(directory, onLine, stop);
}

function sinceOf({ since }: IncidentsOptions, nowMs: number): number {
  const sinceMs = since === undefined ? 0 : parseSince(since, nowMs);
  if (sinceMs !== null) return sinceMs;
  throw new CommandError(2, `FL3123 --since "${since}" is not a time: write 10m, 2h, 3d or 2026-11-27T14:30:00Z`);
}

function refuseTogether({ reliability, follow, unacked, open, failOn }: IncidentsOptions): void {
  if (reliability === true && (follow === true || unacked === true || open === true || failOn !== undefined)) {
    throw new CommandError(
      2,
      'FL1200 --reliability counts all there are: leave out --follow, --open, --unacked and --fail-on',
    );
  }
  if (follow === true && failOn !== undefined) {
    throw new CommandError(2, 'FL1200 --follow does not end, so that --fail-on never answers: leave one out');
  }
}

/** The incident of which something new was said; null for what is known already or is of no incident. */
function heard(book: NoteBook, document: unknown): string | null {
  const note = noteFromDocument(document);
  if (note === null || note.kind === 'maintenance') return null;
  const { acknowledged, verdict } = book.of(note.incidentId);
  const before = note.kind === 'ack' ? acknowledged : verdict;
  if (before !== null && (before.id === note.id || before.atMs > note.atMs)) return null;
  book.take(note);
  return note.incidentId;
}

/** `sign`: what is known of the daemon; null for a revision that it has just written. */
function show(
  incident: Incident,
  said: Said,
  options: IncidentsOptions,
  deps: IncidentCommandDeps,
  sign: SignOfLife | null,
): void {
  const { timeZone, colour, stdout } = deps;
  const width = stdout.columns === undefined ? {} : { width: stdout.columns };
  const nowMs = sign === null ? deps.now() : asOfMs(sign, deps.now());
  const silentMs = incident.state === 'open' && sign?.writing === false ? nowMs : null;
  const asOf = silentMs === null ? {} : { as_of: formatTime(silentMs, 3) };
  const line =
    options.json === true
      ? shownJson({ ...incidentToDocument(incident, { nowMs }), ...asOf, ...saidToDocument(said) })
      : renderIncidentLine(incident, { timeZone, colour, said, asOfMs: silentMs, ...width });
  stdout.write(`${line}\n`);
}
