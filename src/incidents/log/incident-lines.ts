// Incident lines: which events of an incident the log does not have yet, and the lines that tell of them.

import { crc32 } from 'node:zlib';
import { eventToDocument } from '../../model/documents/event.ts';
import { incidentToDocument } from '../../model/documents/incident.ts';
import { noteToDocument } from '../../model/documents/note.ts';
import type { Evidence, FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import type { Note } from '../../model/note.ts';
import { MAX_LINE_BYTES } from './files.ts';
import { jsonLine } from './json-line.ts';

const KNOWN_EVENTS = 65_536;

export function lineOf(document: object): Buffer {
  return Buffer.from(`${jsonLine(document)}\n`);
}

/** The whole incident as a line; where it would be too long to be read back, without its evidence, which its events keep. */
export function incidentLine(incident: Incident): Buffer {
  const whole = lineOf(incidentToDocument(incident));
  return whole.length <= MAX_LINE_BYTES ? whole : lineOf(incidentToDocument({ ...incident, evidence: [] }));
}

/** The event as a line; where it would be too long to be read back, without its evidence. */
export function eventLine(event: FaultEvent, host: string): Buffer {
  const whole = lineOf(eventToDocument(event, host));
  return whole.length <= MAX_LINE_BYTES ? whole : lineOf(eventToDocument({ ...event, evidence: [] }, host));
}

export function noteLine(note: Note): Buffer {
  return lineOf(noteToDocument(note));
}

const marks = new WeakMap<readonly Evidence[], number>();
const COUNTS = 2 ** 20;

/** The same for the same count and evidence: revisions name the evidence by its event. */
function markOf({ count, evidence }: FaultEvent): number {
  const sum = marks.get(evidence) ?? crc32(JSON.stringify(evidence));
  marks.set(evidence, sum);
  return sum * COUNTS + (count % COUNTS);
}

export class IncidentLines {
  /** Mark of what was last written of an event, by event id, youngest last. */
  readonly #written = new Map<string, number>();

  constructor(restored: readonly Incident[]) {
    for (const incident of restored) for (const event of incident.events) this.#written.set(event.id, markOf(event));
  }

  /** Lines of the events that must stand before the incident's next revision, by event id. */
  newEvents(incident: Incident): Map<string, Buffer> {
    const lines = new Map<string, Buffer>();
    for (const event of incident.events) {
      const known = this.#written.get(event.id);
      const mark = markOf(event);
      this.#written.delete(event.id);
      this.#written.set(event.id, mark);
      if (known !== mark) lines.set(event.id, eventLine(event, incident.host));
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
