// Incident lines: which events of an incident the log does not have yet, and the lines that tell of them.

import { eventToDocument } from '../../model/documents/event.ts';
import { incidentToDocument } from '../../model/documents/incident.ts';
import { noteToDocument } from '../../model/documents/note.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import type { Note } from '../../model/note.ts';
import { MAX_LINE_BYTES } from './files.ts';
import { jsonLine } from './json-line.ts';

const KNOWN_EVENTS = 65_536;

function line(document: object): Buffer {
  return Buffer.from(`${jsonLine(document)}\n`);
}

/** The incident as a line; where it would be too long to be read back, without its evidence, which its events keep. */
export function incidentLine(incident: Incident): Buffer {
  const whole = line(incidentToDocument(incident));
  return whole.length <= MAX_LINE_BYTES ? whole : line(incidentToDocument({ ...incident, evidence: [] }));
}

/** The event as a line; where it would be too long to be read back, without its evidence. */
export function eventLine(event: FaultEvent, host: string): Buffer {
  const whole = line(eventToDocument(event, host));
  return whole.length <= MAX_LINE_BYTES ? whole : line(eventToDocument({ ...event, evidence: [] }, host));
}

export function noteLine(note: Note): Buffer {
  return line(noteToDocument(note));
}

export class IncidentLines {
  /** Count with which an event was last written, by event id, youngest last. */
  readonly #written = new Map<string, number>();

  constructor(restored: readonly Incident[]) {
    for (const incident of restored) for (const event of incident.events) this.#written.set(event.id, event.count);
  }

  /** Lines of the events that must stand before the incident's next revision, by event id. */
  newEvents(incident: Incident): Map<string, Buffer> {
    const lines = new Map<string, Buffer>();
    for (const event of incident.events) {
      const known = this.#written.get(event.id);
      this.#written.delete(event.id);
      this.#written.set(event.id, event.count);
      if (known !== event.count) lines.set(event.id, eventLine(event, incident.host));
    }
    for (const oldest of this.#written.keys()) {
      if (this.#written.size <= KNOWN_EVENTS) break;
      this.#written.delete(oldest);
    }
    return lines;
  }

  /** The event's line was given up: it is written again with the next revision that names it. */
  forget(eventId: string): void {
    this.#written.delete(eventId);
  }
}
