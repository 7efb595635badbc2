// Notes an acknowledgement or a verdict on one incident, through its daemon or into its log.

import { renderIncidentLine } from '../../incidents/report/line.ts';
import type { CommandIo } from '../common/command-io.ts';
import { findIncident } from '../common/find-incident.ts';
import { type NoteOptions, noteAuthor, placeOf, sendNote, writeNote } from './send-note.ts';

/** Finds the incident, notes it, and prints what was noted of which incident. `done`: what is reported, as "acknowledged". */
export async function noteIncident(
  id: string,
  what: { readonly kind: 'ack' | 'verdict'; readonly verdict?: string; readonly root_kind?: string },
  done: string,
  options: NoteOptions,
  io: CommandIo,
): Promise<void> {
  const place = await placeOf(options);
  const incident = await findIncident(id, place.log, io, false);
  const by = noteAuthor(options);
  const note = options.note === undefined ? {} : { note: options.note };
  const body = { ...what, incident_id: incident.id, by, ...note };
  const taken = await sendNote(place, body, io);
  if (taken === null) await writeNote(place, body, incident.host, io);
  io.stdout.write(`${done} by ${by}: ${renderIncidentLine(incident, { timeZone: io.timeZone })}\n`);
  const why = place.sockets.length === 0 ? '' : 'no daemon runs: ';
  if (taken === null) io.stderr.write(`${why}written into the log in ${place.log}\n`);
}
