// The command `maintenance`: declares planned work, ends it, and lists what is in force.

import { type Command, InvalidArgumentError } from 'commander';
import { formatDuration, parseDuration } from '../config/quantity.ts';
import { jsonLine } from '../incidents/log/json-line.ts';
import { loadNotes } from '../incidents/log/load-notes.ts';
import { maintenanceText } from '../incidents/report/said.ts';
import { componentText } from '../model/component.ts';
import { noteToDocument } from '../model/documents/note.ts';
import { LONGEST_MAINTENANCE_MS, type Maintenance, STANDARD_MAINTENANCE_MS } from '../model/note.ts';
import { MaintenanceBook } from '../sources/maintenance/maintenance-book.ts';
import {
  CommandError,
  type IncidentCommandDeps,
  type LogOptions,
  logDirectoryOf,
  processDeps,
  runCommand,
} from './incident-context.ts';
import { placeOf, type SayOptions, sayToDaemon, whoSays } from './say.ts';

interface MaintenanceOptions extends SayOptions {
  readonly component?: string;
  readonly for?: number;
}

interface ListOptions extends LogOptions {
  readonly json?: boolean;
}

export function registerMaintenance(program: Command, deps: IncidentCommandDeps = processDeps()): void {
  const maintenance = program
    .command('maintenance')
    .description('declare planned work: what happens under it raises nothing');
  for (const state of ['start', 'end'] as const) {
    const command = maintenance
      .command(state)
      .description(state === 'start' ? 'planned work begins now' : 'it is over')
      .option('--component <type/id>', 'what it is done on, for example gpu/0000:9b:00.0; this host when left out');
    if (state === 'start') {
      command.option('--for <time>', 'ends by itself after this: 30m, 2h, 1d; 4h when left out, at most 30d', duration);
    }
    command
      .option('--by <name>', 'who does it; you when left out')
      .option('--note <text>', 'one line, for example the change number')
      .option('--config <file>', 'configuration that names the directories')
      .action((options: MaintenanceOptions) => runCommand(deps, () => declare(state, options, deps)));
  }
  maintenance
    .command('list')
    .description('what is in force')
    .option('--json', 'one document')
    .option('--config <file>', 'configuration that names the log directory')
    .option('--log-directory <directory>', 'read the log of this directory')
    .action((options: ListOptions) => runCommand(deps, () => list(options, deps)));
}

async function declare(state: 'start' | 'end', options: MaintenanceOptions, deps: IncidentCommandDeps): Promise<void> {
  const place = await placeOf(options);
  const by = whoSays(options);
  const body = {
    kind: 'maintenance',
    state,
    by,
    ...(options.component === undefined ? {} : { component: options.component }),
    ...(options.for === undefined ? {} : { for_ms: options.for }),
    ...(options.note === undefined ? {} : { note: options.note }),
  };
  if (!(await sayToDaemon(place, body, deps))) {
    throw new CommandError(
      1,
      `FL3407 no daemon listens on ${place.sockets.join(' or ')}: maintenance is for a daemon that watches. Start it: systemctl start faultline, or faultline run`,
    );
  }
  const what = options.component ?? `host/${place.host}`;
  const until = ` for ${formatDuration(options.for ?? STANDARD_MAINTENANCE_MS)}`;
  const why = options.for === undefined ? '; --for sets another end, faultline maintenance end ends it before' : '';
  deps.stdout.write(
    state === 'start' ? `maintenance of ${what} declared by ${by}${until}${why}\n` : `maintenance of ${what} is over\n`,
  );
}

async function list(options: ListOptions, deps: IncidentCommandDeps): Promise<void> {
  const directory = await logDirectoryOf(options);
  const notes = await loadNotes(directory);
  const book = new MaintenanceBook(notes.filter((note): note is Maintenance => note.kind === 'maintenance'));
  const inForce = book.inForce(deps.now()).map(({ start }) => start);
  if (options.json === true) {
    deps.stdout.write(`${jsonLine({ schema: 'faultline/maintenance/1', in_force: inForce.map(noteToDocument) })}\n`);
    return;
  }
  for (const start of inForce) {
    deps.stdout.write(`${componentText(start.component)}  ${maintenanceText(start, deps.timeZone)}\n`);
  }
  if (inForce.length === 0) deps.stderr.write('no maintenance is in force\n');
}

function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms === null || !Number.isInteger(ms) || ms < 1000 || ms > LONGEST_MAINTENANCE_MS) {
    throw new InvalidArgumentError('Write a time from 1s to 30d, for example 2h.');
  }
  return ms;
}
