// Lists what the incident log holds, newest last, and continues with each new revision where that is asked for.

import { remember } from '../../helpers/remember.ts';
import { type SignOfLife, signOfLife } from '../../incidents/log/alive.ts';
import { followLog } from '../../incidents/log/follow.ts';
import { loadIncidents } from '../../incidents/log/load.ts';
import { Said as Notes } from '../../incidents/log/load-notes.ts';
import { parseLine } from '../../incidents/log/read-log.ts';
import { Revisions } from '../../incidents/log/revisions.ts';
import { NoteBook } from '../../incidents/notes/note-book.ts';
import { reliabilityOf } from '../../incidents/reliability.ts';
import { renderIncidentLine } from '../../incidents/report/line.ts';
import { reliabilityToDocument, renderReliability } from '../../incidents/report/reliability.ts';
import { incidentToDocument } from '../../model/documents/incident.ts';
import { NOTE_SCHEMA, noteFromDocument, saidToDocument } from '../../model/documents/note.ts';
import type { Incident } from '../../model/incident.ts';
import { isOnIncident, type Said } from '../../model/note.ts';
import type { Severity } from '../../model/severity.ts';
import { shownJson } from '../../model/shown-json.ts';
import { formatTime } from '../../model/time.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError, type LogOptions, logDirectoryOf, mustExist } from '../common/incident-context.ts';
import { parseSince } from '../common/since.ts';
import { failsOn } from './fail-on.ts';
import { type FilterOptions, filterText, incidentFilter } from './filter.ts';
import { type Unwritten, unwrittenOf, unwrittenText } from './unwritten.ts';
import { whatToDo } from './what-to-do.ts';
import { asOfMs, silenced, silentText, watchWriter } from './writer.ts';

export interface IncidentsOptions extends LogOptions, FilterOptions {
  readonly follow?: boolean;
  readonly failOn?: Severity;
  readonly reliability?: boolean;
  readonly json?: boolean;
}

const LISTED = 20_000;
/** Lines that are written together. */
const AT_ONCE = 256;
export async function listIncidents(options: IncidentsOptions, io: CommandIo, closed: AbortSignal): Promise<void> {
  const sinceMs = timeOf('--since', options.since, io.now()) ?? 0;
  const untilMs = timeOf('--until', options.until, io.now());
  const filter = await incidentFilter(options, sinceMs, untilMs ?? Number.POSITIVE_INFINITY);
  refuseTogether(options);
  const directory = await logDirectoryOf(options);
  await mustExist(directory);
  const notes = new Notes();
  const { incidents: logged, warnings } = await loadIncidents(directory, {
    limit: LISTED,
    withEvents: () => false,
    evidence: options.json === true,
    brief: isBrief(options),
    also: (line) => notes.take(line),
  });
  const unwritten = await unwrittenOf(directory, logged, options);
  const incidents = withUnwritten(logged, unwritten);
  const book = new NoteBook(notes.list(), LISTED);
  const sign = await signOfLife(directory, io.now());
  for (const warning of warnings.list()) io.stderr.write(`${warning}\n`);
  if (warnings.unreadable > 0) io.status(1);
  const wanted = (incident: Incident): boolean => filter(incident, book.of(incident.id));
  const shown = incidents.filter(wanted).sort((a, b) => a.openedMs - b.openedMs);
  if (options.reliability === true) {
    const judged = shown.filter(({ updatedMs }) => updatedMs >= sinceMs);
    const reliability = reliabilityOf(judged, (id) => book.of(id));
    const json = options.json === true;
    io.stdout.write(`${json ? shownJson(reliabilityToDocument(reliability)) : renderReliability(reliability)}\n`);
    return;
  }
  const by = await silenced(directory, sign, options);
  const silent = silentText(sign, io.timeZone, by);
  // An empty list does not cover the time since; only of a log that no daemon ever wrote there is nothing to report.
  const isWorthIt = silent !== null && (incidents.length > 0 || sign.lastMs !== null || by !== null);
  if (isWorthIt) io.stderr.write(`${silent}\n`);
  if (unwritten !== null && by === null) io.stderr.write(`${unwrittenText(unwritten)}\n`);
  for (let from = 0; from < shown.length; from += AT_ONCE) {
    const lines = shown.slice(from, from + AT_ONCE).map((each) => lineOf(each, book.of(each.id), options, io, sign));
    io.stdout.write(lines.join(''));
  }
  if (shown.length === 0 && options.json !== true && warnings.unreadable === 0) {
    io.stderr.write(`no incidents in ${directory}${filterText(options)}\n`);
  }
  const isRead = options.json !== true && options.failOn === undefined;
  const next = isRead ? whatToDo(shown, io.timeZone, io.stdout.isTTY === true) : null;
  if (next !== null) io.stderr.write(`${next}\n`);
  const { failOn } = options;
  if (failOn !== undefined && shown.some((incident) => failsOn(incident, failOn))) io.status(1);
  if (options.follow !== true || closed.aborted) return;
  if (silent !== null && !isWorthIt) io.stderr.write(`${silent}\n`);
  const listed = new Map(incidents.map((incident) => [incident.id, incident]));
  const revisions = new Revisions(incidents);
  const update = (incident: Incident): void => {
    if (wanted(incident)) show(incident, book.of(incident.id), options, io, null);
  };
  const onLine = (line: string): void => {
    const document = parseLine(line);
    if (document?.schema === NOTE_SCHEMA) {
      const about = heard(book, document);
      const incident = about === null ? undefined : listed.get(about);
      if (incident !== undefined) update(incident);
      return;
    }
    const incident = revisions.take(document);
    if (incident === null) return;
    remember(listed, incident.id, incident, LISTED);
    update(incident);
  };
  const stop = AbortSignal.any([closed, io.signal()]);
  watchWriter(directory, sign, io, stop);
  await followLog(directory, onLine, stop);
}

function withUnwritten(logged: readonly Incident[], unwritten: Unwritten | null): readonly Incident[] {
  if (unwritten === null || unwritten.incidents.length === 0) return logged;
  return [...new Map([...logged, ...unwritten.incidents].map((incident) => [incident.id, incident])).values()];
}

/** Whether the lines that are printed need no more of each incident than its newest line in the log. */
function isBrief({ json, follow, reliability, component, job }: IncidentsOptions): boolean {
  return json !== true && follow !== true && reliability !== true && component === undefined && job === undefined;
}

/** Null where the option is not given. */
function timeOf(option: string, given: string | undefined, nowMs: number): number | null {
  if (given === undefined) return null;
  const ms = parseSince(given, nowMs);
  if (ms !== null) return ms;
  throw new CommandError(2, `FL3123 ${option} "${given}" is not a time: write 10m, 2h, 3d or 2026-11-27T14:30:00Z`);
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

/** The incident with a new note; null for what is known already or is of no incident. */
function heard(book: NoteBook, document: unknown): string | null {
  const note = noteFromDocument(document);
  if (note === null || !isOnIncident(note)) return null;
  const { acknowledged, verdict, bundle } = book.of(note.incidentId);
  const before = { ack: acknowledged, verdict, bundle }[note.kind];
  if (before != null && (before.id === note.id || before.atMs > note.atMs)) return null;
  book.take(note);
  return note.incidentId;
}

/** `sign`: what is known of the daemon; null for a revision that it has just written. */
function show(incident: Incident, said: Said, options: IncidentsOptions, io: CommandIo, sign: SignOfLife | null): void {
  io.stdout.write(lineOf(incident, said, options, io, sign));
}

function lineOf(
  incident: Incident,
  said: Said,
  options: IncidentsOptions,
  io: CommandIo,
  sign: SignOfLife | null,
): string {
  const { timeZone, colour, stdout } = io;
  const width = stdout.columns === undefined ? {} : { width: stdout.columns };
  const nowMs = sign === null ? io.now() : asOfMs(sign, io.now());
  const silentMs = incident.state === 'open' && sign?.writing === false ? nowMs : null;
  const asOf = silentMs === null ? {} : { as_of: formatTime(silentMs, 3) };
  const line =
    options.json === true
      ? shownJson({ ...incidentToDocument(incident, { nowMs }), ...asOf, ...saidToDocument(said) })
      : renderIncidentLine(incident, { timeZone, colour, said, asOfMs: silentMs, ...width });
  return `${line}\n`;
}
