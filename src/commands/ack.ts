// The command `ack`: tells that an incident is being looked after, and by whom.

import type { Command } from 'commander';
import { renderIncidentLine } from '../incidents/report/line.ts';
import { findIncident } from './find-incident.ts';
import { type IncidentCommandDeps, processDeps, runCommand } from './incident-context.ts';
import { placeOf, type SayOptions, sayToDaemon, sayToLog, whoSays } from './say.ts';

export function registerAck(program: Command, deps: IncidentCommandDeps = processDeps()): void {
  program
    .command('ack')
    .description('tell that an incident is being looked after')
    .argument('<id>', 'id, or its first digits (at least four)')
    .option('--by <name>', 'who looks after it; you when left out')
    .option('--note <text>', 'one line, for example the ticket')
    .option('--config <file>', 'configuration that names the directories')
    .option('--log-directory <directory>', 'an incident of the log in this directory, as the demo leaves one')
    .action((id: string, options: SayOptions) =>
      runCommand(deps, () => sayOfIncident(id, { kind: 'ack' }, 'acknowledged', options, deps)),
    );
}

/** Finds the incident, says it, and prints what was said of what. */
export async function sayOfIncident(
  id: string,
  what: { readonly kind: 'ack' | 'verdict'; readonly verdict?: string; readonly root_kind?: string },
  said: string,
  options: SayOptions,
  deps: IncidentCommandDeps,
): Promise<void> {
  const place = await placeOf(options);
  const incident = await findIncident(id, place.log, deps, false);
  const by = whoSays(options);
  const note = options.note === undefined ? {} : { note: options.note };
  const body = { ...what, incident_id: incident.id, by, ...note };
  const heard = await sayToDaemon(place, body, deps);
  if (!heard) await sayToLog(place, body, incident.host, deps);
  deps.stdout.write(`${said} by ${by}: ${renderIncidentLine(incident, { timeZone: deps.timeZone })}\n`);
  const why = place.sockets.length === 0 ? '' : 'no daemon runs: ';
  if (!heard) deps.stderr.write(`${why}written into the log in ${place.log}\n`);
}
