// Note outcome: what came of a bundle, on the incident itself: through its daemon, or in its log where none runs.

import { basename } from 'node:path';
import { oneNoteLine } from '../../api/read-note.ts';
import type { Incident } from '../../model/incident.ts';
import type { CommandIo } from '../common/command-io.ts';
import type { LogOptions } from '../common/incident-context.ts';
import { noteAuthor, placeOf, sendNote, writeNote } from '../notes/send-note.ts';

export interface BundleOutcome {
  readonly file: string;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly startMs: number;
  /** Null where it was made. */
  readonly error: string | null;
}

export async function noteOutcome(
  { id, host }: Incident,
  { file, bytes, sha256, startMs, error }: BundleOutcome,
  options: LogOptions & { readonly by?: string },
  io: CommandIo,
): Promise<void> {
  const place = await placeOf(options);
  const body = {
    kind: 'bundle',
    by: noteAuthor(options),
    incident_id: id,
    file: oneNoteLine(basename(file), 255),
    bytes,
    sha256,
    took_ms: Math.max(0, Math.round(io.now() - startMs)),
    error: error === null ? null : oneNoteLine(error),
  };
  if ((await sendNote(place, body, io)) === null) await writeNote(place, body, host, io);
}
