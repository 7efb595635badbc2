// The command `incidents`: lists what the incident log holds, newest last, and goes on with each new revision.

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { followLog } from '../incidents/log/follow.ts';
import { jsonLine } from '../incidents/log/json-line.ts';
import { loadIncidents } from '../incidents/log/load.ts';
import { loadNotes } from '../incidents/log/load-notes.ts';
import { parseLine } from '../incidents/log/read.ts';
import { NoteBook } from '../incidents/notes/note-book.ts';
import { reliabilityOf } from '../incidents/reliability.ts';
import { renderIncidentLine } from '../incidents/report/line.ts';
import { reliabilityToDocument, renderReliability } from '../incidents/report/reliability.ts';
import { INCIDENT_SCHEMA, incidentFromDocument, incidentToDocument } from '../model/document.ts';
import type { Incident } from '../model/incident.ts';
import type { Said } from '../model/note.ts';
import { NOTE_SCHEMA, noteFromDocument, saidToDocument } from '../model/note-document.ts';
import {
  CommandError,
  type IncidentCommandDeps,
  type LogOptions,
  logDirectoryOf,
  processDeps,
  runCommand,
} from './incident-context.ts';
import { parseSince } from './since.ts';

interface IncidentsOptions extends LogOptions {
  readonly follow?: boolean;
  readonly since?: string;
  readonly unacked?: boolean;
  readonly reliability?: boolean;
  readonly json?: boolean;
}

const LISTED = 20_000;

export function registerIncidents(program: Command, deps: IncidentCommandDeps = processDeps()): void {
  program
    .command('incidents')
    .description('list the incidents in the local log')
    .option('--follow', 'go on with each new revision')
    .option('--since <time>', 'only those open or changed since: 10m, 2h, 3d, or RFC 3339')
    .option('--unacked', 'only those that nobody looks after: open and not acknowledged')
    .option('--reliability', 'how often they were right, by the verdicts in the log')
    .option('--json', 'one document a line')
    .option('--config <file>', 'configuration that names the log directory')
    .option('--log-directory <directory>', 'read the log of this directory')
    .action((options: IncidentsOptions) => runCommand(deps, (closed) => listIncidents(options, deps, closed)));
}

async function listIncidents(options: IncidentsOptions, deps: IncidentCommandDeps, closed: AbortSignal): Promise<void> {
  const sinceMs = options.since === undefined ? 0 : parseSince(options.since, deps.now());
  if (sinceMs === null) {
    throw new CommandError(
      2,
      `FL3123 --since "${options.since}" is no time: write 10m, 2h, 3d or 2026-11-27T14:30:00Z`,
    );
  }
  if (options.reliability === true && (options.follow === true || options.unacked === true)) {
    throw new CommandError(2, 'FL1200 --reliability counts all there are: leave out --follow and --unacked');
  }
  const directory = await logDirectoryOf(options);
  const { incidents, warnings } = await loadIncidents(directory, { limit: LISTED, withEvents: () => false });
  const book = new NoteBook(await loadNotes(directory), LISTED);
  for (const warning of warnings.list()) deps.stderr.write(`${warning}\n`);
  if (warnings.unreadable > 0) deps.status(1);
  const wanted = (incident: Incident): boolean => {
    if (incident.state !== 'open' && incident.updatedMs < sinceMs) return false;
    return options.unacked !== true || (incident.state === 'open' && book.of(incident.id).acknowledged === null);
  };
  if (options.reliability === true) {
    const judged = incidents.filter(({ updatedMs }) => updatedMs >= sinceMs);
    const reliability = reliabilityOf(judged, (id) => book.of(id));
    const json = options.json === true;
    deps.stdout.write(`${json ? jsonLine(reliabilityToDocument(reliability)) : renderReliability(reliability)}\n`);
    return;
  }
  const shown = incidents.filter(wanted).sort((a, b) => a.openedMs - b.openedMs);
  for (const incident of shown) show(incident, book.of(incident.id), options, deps);
  if (shown.length === 0 && options.json !== true && warnings.unreadable === 0) {
    const filter = `${options.unacked === true ? ' that nobody looks after' : ''}${options.since === undefined ? '' : ` since ${options.since}`}`;
    const missing = existsSync(directory) ? '' : ', which does not exist: a daemon makes it';
    deps.stderr.write(`no incidents in ${directory}${filter}${missing}\n`);
  }
  if (options.follow !== true || closed.aborted) return;
  const told = new Map(incidents.map((incident) => [incident.id, incident]));
  const tell = (incident: Incident): void => {
    if (wanted(incident)) show(incident, book.of(incident.id), options, deps);
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
    told.delete(incident.id);
    told.set(incident.id, incident);
    for (const [oldest] of told) {
      if (told.size <= LISTED) break;
      told.delete(oldest);
    }
    tell(incident);
  };
  await followLog(directory, onLine, AbortSignal.any([closed, deps.signal()]));
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

function show(incident: Incident, said: Said, options: IncidentsOptions, deps: IncidentCommandDeps): void {
  const { timeZone, colour, stdout } = deps;
  const width = stdout.isTTY === true && stdout.columns ? { width: Math.max(stdout.columns, 80) } : {};
  const line =
    options.json === true
      ? jsonLine({ ...incidentToDocument(incident, { nowMs: deps.now() }), ...saidToDocument(said) })
      : renderIncidentLine(incident, { timeZone, colour, said, ...width });
  stdout.write(`${line}\n`);
}
