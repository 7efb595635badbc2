// Note book: the newest that people said about each incident.

import { isOnIncident, NOTHING_SAID, type Note, type OnIncident, type Said } from '../../model/note.ts';

/** Incidents about which something is remembered. */
const REMEMBERED = 4096;

/** The order of `take` decides, as the order in the log does. What was said longest ago is forgotten first. */
export class NoteBook {
  readonly #limit: number;
  readonly #said = new Map<string, Said>();

  constructor(notes: readonly Note[] = [], limit = REMEMBERED) {
    this.#limit = limit;
    for (const note of notes) this.take(note);
  }

  take(note: Note): void {
    if (!isOnIncident(note)) return;
    const before = this.of(note.incidentId);
    this.#said.delete(note.incidentId);
    this.#said.set(note.incidentId, withNote(before, note));
    for (const oldest of this.#said.keys()) {
      if (this.#said.size <= this.#limit) break;
      this.#said.delete(oldest);
    }
  }

  of(incidentId: string): Said {
    return this.#said.get(incidentId) ?? NOTHING_SAID;
  }
}

function withNote(before: Said, note: OnIncident): Said {
  switch (note.kind) {
    case 'ack':
      return { ...before, acknowledged: note };
    case 'verdict':
      return { ...before, verdict: note };
    case 'bundle':
      return { ...before, bundle: note };
  }
}
