// The command `incidents`: lists what the incident log holds, newest last, and goes on with each new revision.

import type { Command } from 'commander';
import { followLog } from '../incidents/log/follow.ts';
import { jsonLine } from '../incidents/log/json-line.ts';
import { loadIncidents } from '../incidents/log/load.ts';
import { parseLine } from '../incidents/log/read.ts';
import { renderIncidentLine } from '../incidents/report/line.ts';
import { INCIDENT_SCHEMA, incidentFromDocument, incidentToDocument } from '../model/document.ts';
import type { Incident } from '../model/incident.ts';
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
  readonly json?: boolean;
}

const LISTED = 20_000;

export function registerIncidents(program: Command, deps: IncidentCommandDeps = processDeps()): void {
  program
    .command('incidents')
    .description('list the incidents in the local log')
    .option('--follow', 'go on with each new revision')
    .option('--since <time>', 'only those open or changed since: 10m, 2h, 3d, or RFC 3339')
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
  const directory = await logDirectoryOf(options);
  const { incidents, warnings } = await loadIncidents(directory, { limit: LISTED, withEvents: () => false });
  for (const warning of warnings.list()) deps.stderr.write(`${warning}\n`);
  if (warnings.unreadable > 0) deps.status(1);
  const wanted = (incident: Incident): boolean => incident.state === 'open' || incident.updatedMs >= sinceMs;
  const shown = incidents.filter(wanted).sort((a, b) => a.openedMs - b.openedMs);
  for (const incident of shown) show(incident, options, deps);
  if (shown.length === 0 && options.json !== true && warnings.unreadable === 0) {
    deps.stderr.write(`no incidents in ${directory}${options.since === undefined ? '' : ` since ${options.since}`}\n`);
  }
  if (options.follow !== true || closed.aborted) return;
  const told = new Map(incidents.map(({ id, revision }) => [id, revision]));
  const onLine = (line: string): void => {
    const document = parseLine(line);
    const incident = document?.schema === INCIDENT_SCHEMA ? incidentFromDocument(document) : null;
    if (incident === null || incident.revision <= (told.get(incident.id) ?? 0)) return;
    told.delete(incident.id);
    told.set(incident.id, incident.revision);
    for (const [oldest] of told) {
      if (told.size <= LISTED) break;
      told.delete(oldest);
    }
    if (wanted(incident)) show(incident, options, deps);
  };
  await followLog(directory, onLine, AbortSignal.any([closed, deps.signal()]));
}

function show(incident: Incident, options: IncidentsOptions, deps: IncidentCommandDeps): void {
  const { timeZone, colour, stdout } = deps;
  const width = stdout.isTTY === true && stdout.columns ? { width: Math.max(stdout.columns, 80) } : {};
  const line =
    options.json === true
      ? jsonLine(incidentToDocument(incident))
      : renderIncidentLine(incident, { timeZone, colour, ...width });
  stdout.write(`${line}\n`);
}
