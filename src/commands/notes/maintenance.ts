// Declares planned work, ends it, and lists what is in force.

import { formatDuration } from '../../config/quantity.ts';
import { jsonLine } from '../../incidents/log/json-line.ts';
import { loadNotes } from '../../incidents/log/load-notes.ts';
import { maintenanceText } from '../../incidents/report/said.ts';
import { componentText } from '../../model/component.ts';
import { noteToDocument } from '../../model/documents/note.ts';
import { type Maintenance, STANDARD_MAINTENANCE_MS } from '../../model/note.ts';
import { MaintenanceBook } from '../../sources/maintenance/maintenance-book.ts';
import type { CommandIo } from '../common/command-io.ts';
import { CommandError, type LogOptions, logDirectoryOf } from '../common/incident-context.ts';
import { type NoteOptions, noteAuthor, placeOf, sendNote } from './send-note.ts';

export interface MaintenanceOptions extends NoteOptions {
  readonly component?: string;
  readonly for?: number;
}

export interface ListOptions extends LogOptions {
  readonly json?: boolean;
}

export async function declareMaintenance(
  state: 'start' | 'end',
  options: MaintenanceOptions,
  io: CommandIo,
): Promise<void> {
  const place = await placeOf(options);
  const by = noteAuthor(options);
  const body = {
    kind: 'maintenance',
    state,
    by,
    ...(options.component === undefined ? {} : { component: options.component }),
    ...(options.for === undefined ? {} : { for_ms: options.for }),
    ...(options.note === undefined ? {} : { note: options.note }),
  };
  if ((await sendNote(place, body, io)) === null) {
    throw new CommandError(
      1,
      `FL3407 no daemon listens on ${place.sockets.join(' or ')}: maintenance is for a daemon that watches. Start it: systemctl start faultline, or faultline run`,
    );
  }
  const what = options.component ?? `host/${place.host}`;
  const until = ` for ${formatDuration(options.for ?? STANDARD_MAINTENANCE_MS)}`;
  const why = options.for === undefined ? '; --for sets another end, faultline maintenance end ends it before' : '';
  io.stdout.write(
    state === 'start' ? `maintenance of ${what} declared by ${by}${until}${why}\n` : `maintenance of ${what} is over\n`,
  );
}

export async function listMaintenance(options: ListOptions, io: CommandIo): Promise<void> {
  const directory = await logDirectoryOf(options);
  const notes = await loadNotes(directory);
  const book = new MaintenanceBook(notes.filter((note): note is Maintenance => note.kind === 'maintenance'));
  const inForce = book.inForce(io.now()).map(({ start }) => start);
  if (options.json === true) {
    io.stdout.write(`${jsonLine({ schema: 'faultline/maintenance/1', in_force: inForce.map(noteToDocument) })}\n`);
    return;
  }
  for (const start of inForce) {
    io.stdout.write(`${componentText(start.component)}  ${maintenanceText(start, io.timeZone)}\n`);
  }
  if (inForce.length === 0) io.stderr.write('no maintenance is in force\n');
}
