// Find incident: the one incident of the log whose id begins with the digits that the command was given.

import { loadIncidents } from '../../incidents/log/load.ts';
import { renderIncidentLine } from '../../incidents/report/line.ts';
import type { Incident } from '../../model/incident.ts';
import type { CommandIo } from './command-io.ts';
import { CommandError, mustExist } from './incident-context.ts';

const READ = 1000;
const AMBIGUOUS_SHOWN = 10;

/** Throws FL3120 where there is none, FL3121 where there are several, FL3122 for what is not an id. */
export async function findIncident(
  given: string,
  directory: string,
  io: CommandIo,
  withEvents: boolean,
): Promise<Incident> {
  const prefix = given.toLowerCase();
  if (!/^[0-9a-f]{4,64}$/.test(prefix)) {
    throw new CommandError(
      2,
      `FL3122 "${given}" is not an incident id: give at least four of its hex digits, as in faultline incidents`,
    );
  }
  const ofScan = `. One that a scan printed is in no log: faultline scan PATH... --incident ${prefix} --format html`;
  await mustExist(directory, ofScan);
  const { incidents, warnings } = await loadIncidents(directory, {
    limit: READ,
    ids: (id) => id.startsWith(prefix),
    withEvents: () => withEvents,
  });
  for (const warning of warnings.list()) io.stderr.write(`${warning}\n`);
  const [incident] = incidents;
  if (incident === undefined) {
    throw new CommandError(
      1,
      `FL3120 no incident ${prefix} in ${directory}: faultline incidents lists those that are there${ofScan}`,
    );
  }
  if (incidents.length === 1) return incident;
  const list = incidents
    .slice(0, AMBIGUOUS_SHOWN)
    .map((each) => `  ${each.id}  ${renderIncidentLine(each, { timeZone: io.timeZone })}`);
  const more = incidents.length > AMBIGUOUS_SHOWN ? `\n  and ${incidents.length - AMBIGUOUS_SHOWN} more` : '';
  throw new CommandError(
    2,
    `FL3121 ${incidents.length} incidents begin with ${prefix}; give more digits:\n${list.join('\n')}${more}`,
  );
}
