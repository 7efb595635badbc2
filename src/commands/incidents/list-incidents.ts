// Lists what the incident log holds, newest last, and continues with each new revision where that is asked for.

import { remember } from '../../helpers/remember.ts';
import { type SignOfLife, signOfLife } from '../../incidents/log/alive.ts';
import { followLog } from '../../incidents/log/follow.ts';
import { loadAs } from '../../incidents/log/load.ts';
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
import { mustHaveLog } from './must-have-log.ts';
import { printedLines } from './printed-lines.ts';
import { bytesOf, keptOf, printRows, type Row, type RowMaking, rowOf } from './row.ts';
import { type Unwritten, unwrittenOf, unwrittenText } from './unwritten.ts';
import { whatToDo } from './what-to-do.ts';
import { asOfMs, silenced, silentSinceMs, silentText, watchWriter } from './writer.ts';

export interface IncidentsOptions extends LogOptions, FilterOptions {
  readonly follow?: boolean;
  readonly failOn?: Severity;
  readonly reliability?: boolean;
  readonly json?: boolean;
}

const LISTED = 20_000;
export async function listIncidents(options: IncidentsOptions, io: CommandIo, closed: AbortSignal): Promise<void> {
  const sinceMs = timeOf('--since', options.since, io.now()) ?? 0;
  const untilMs = timeOf('--until', options.until, io.now());
  const filter = await incidentFilter(options, sinceMs, untilMs ?? Number.POSITIVE_INFINITY);
  refuseTogether(options);
  const directory = await logDirectoryOf(options);
  await mustExist(directory);
  const sign = await signOfLife(directory, io.now());
  // Who follows waits for the daemon that will write it.
  if (options.follow !== true) await mustHaveLog(directory, sign, options);
  const notes = new Notes();
  let known: NoteBook | null = null;
  // Asked once all of the log was read: what was said last counts.
  const book = (): NoteBook => {
    known ??= new NoteBook(notes.list(), LISTED);
    return known;
  };
  const { json = false, reliability = false, follow = false, failOn } = options;
  const wanted = (incident: Incident): boolean => filter.passes(incident, book().of(incident.id));
  const isRead = !json && failOn === undefined;
  const making: RowMaking = {
    isWanted: wanted,
    textOf: (incident) => (reliability ? '' : lineOf(incident, book().of(incident.id), options, io, sign)),
    fails: (incident) => failOn !== undefined && failsOn(incident, failOn),
    isKept: ({ state }) => reliability || follow || (isRead && state === 'open'),
  };
  const { incidents: logged, warnings } = await loadAs(
    directory,
    {
      limit: LISTED,
      withEvents: () => false,
      evidence: json,
      brief: isBrief(options),
      also: (line, head) => head?.schema === 'other' && notes.take(line),
    },
    (incident, line) => rowOf(incident, line, making),
    json && !reliability && !follow && failOn === undefined ? printedLines(filter, book, sign, io.now()) : undefined,
  );
  const unwritten = await unwrittenOf(directory, logged, options);
  const rows = withUnwritten(logged, unwritten, making);
  for (const warning of warnings.list()) io.stderr.write(`${warning}\n`);
  if (warnings.unreadable > 0) io.status(1);
  const shown = rows.filter(({ text }) => text !== null).sort((a, b) => a.openedMs - b.openedMs);
  if (reliability) {
    const judged = keptOf(shown).filter(({ updatedMs }) => updatedMs >= sinceMs);
    const counted = reliabilityOf(judged, (id) => book().of(id));
    io.stdout.write(`${json ? shownJson(reliabilityToDocument(counted)) : renderReliability(counted)}\n`);
    return;
  }
  const by = await silenced(directory, sign, options);
  const silent = silentText(sign, io.timeZone, by, rows.map(({ made }) => made)); // biome-ignore format: one line
  // An empty list does not cover the time since; only of a log that no daemon ever wrote there is nothing to report.
  const isWorthIt = silent !== null && (rows.length > 0 || sign.lastMs !== null || by !== null);
  if (isWorthIt) io.stderr.write(`${silent}\n`);
  if (unwritten !== null && by === null) io.stderr.write(`${unwrittenText(unwritten)}\n`);
  const again = async (ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> => {
    const moved = { limit: LISTED, withEvents: () => false, ids: (id: string) => ids.has(id) };
    const { incidents: read } = await loadAs(
      directory,
      moved,
      (each) => [each.id, bytesOf(making.textOf(each))] as const,
    );
    return new Map(read);
  };
  await printRows(shown, io, closed, again);
  if (shown.length === 0 && !json && warnings.unreadable === 0) {
    io.stderr.write(`no incidents in ${directory}${filterText(options)}\n`);
  }
  const next = isRead ? whatToDo(shown, io.timeZone, io.stdout.isTTY === true) : null;
  if (next !== null) io.stderr.write(`${next}\n`);
  if (shown.some(({ fails }) => fails)) io.status(1);
  if (!follow || closed.aborted) return;
  if (silent !== null && !isWorthIt) io.stderr.write(`${silent}\n`);
  const incidents = keptOf(rows);
  const listed = new Map(incidents.map((incident) => [incident.id, incident]));
  const revisions = new Revisions(incidents);
  const update = (incident: Incident): void => {
    if (wanted(incident)) io.stdout.write(lineOf(incident, book().of(incident.id), options, io, null));
  };
  const onLine = (line: string): void => {
    const document = parseLine(line);
    if (document?.schema === NOTE_SCHEMA) {
      const about = heard(book(), document);
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

function withUnwritten(logged: readonly Row[], unwritten: Unwritten | null, making: RowMaking): readonly Row[] {
  if (unwritten === null || unwritten.incidents.length === 0) return logged;
  const held = unwritten.incidents.map((incident) => rowOf(incident, null, making));
  return [...new Map([...logged, ...held].map((row) => [row.id, row])).values()];
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
  const silentMs = silentSinceMs(incident.state, sign, io.now());
  const asOf = silentMs === null ? {} : { as_of: formatTime(silentMs, 3) };
  const line =
    options.json === true
      ? shownJson({ ...incidentToDocument(incident, { nowMs }), ...asOf, ...saidToDocument(said) })
      : renderIncidentLine(incident, { timeZone, colour, said, asOfMs: silentMs, ...width });
  return `${line}\n`;
}
