// Incident lines: which events of an incident the log does not have yet, and the lines that tell of them.

import { crc32 } from 'node:zlib';
import { eventToDocument } from '../../model/documents/event.ts';
import type { EvidenceDocument } from '../../model/documents/evidence.ts';
import { incidentToDocument } from '../../model/documents/incident.ts';
import { inParts } from '../../model/documents/incident-parts.ts';
import { noteToDocument } from '../../model/documents/note.ts';
import type { Attributes, Evidence, FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import type { Note } from '../../model/note.ts';
import { MAX_LINE_BYTES } from './files.ts';
import { GrownEvents } from './grown-events.ts';
import { jsonLine } from './json-line.ts';
import { shortEvidence } from './short-evidence.ts';

const KNOWN_EVENTS = 65_536;

export function lineOf(document: object): Buffer {
  return Buffer.from(`${jsonLine(document)}\n`);
}

interface WithEvidence {
  readonly evidence: readonly EvidenceDocument[];
}

const bounded = (document: WithEvidence): object => ({ ...document, evidence: shortEvidence(document.evidence) });

/** A screen of text; what a revision has to say beyond it is in lines of its own before it. */
const LINE_BYTES = 4096;

/** The document of a revision as lines of 4 KiB with their ends: the incident itself last. */
export function revisionLines(document: WithEvidence): Buffer {
  const bytesOf = (value: unknown): number => Buffer.byteLength(jsonLine([value])) - 2;
  const parts = inParts({ ...bounded(document) }, LINE_BYTES - 1, bytesOf);
  return Buffer.concat(parts.map(lineOf));
}

/** The whole incident as lines; where it would be too long to be read back, without its evidence, which its events keep. */
export function incidentLine(incident: Incident): Buffer {
  const whole = revisionLines(incidentToDocument(incident));
  return whole.length <= MAX_LINE_BYTES ? whole : revisionLines(incidentToDocument({ ...incident, evidence: [] }));
}

/** The event as a line; where it would be too long to be read back, without its evidence. */
export function eventLine(event: FaultEvent, host: string): Buffer {
  const whole = lineOf(bounded(eventToDocument(event, host)));
  return whole.length <= MAX_LINE_BYTES ? whole : lineOf(eventToDocument({ ...event, evidence: [] }, host));
}

export function noteLine(note: Note): Buffer {
  return lineOf(noteToDocument(note));
}

const marks = new WeakMap<readonly Evidence[] | Attributes, number>();
const COUNTS = 2 ** 20;

function sumOf(part: readonly Evidence[] | Attributes): number {
  const sum = marks.get(part) ?? crc32(JSON.stringify(part));
  marks.set(part, sum);
  return sum;
}

/** The same for the same count, attributes and evidence: revisions name the evidence by its event. */
function markOf({ count, evidence, attributes }: FaultEvent): number {
  const sum = (sumOf(evidence) + sumOf(attributes)) % 2 ** 32;
  return sum * COUNTS + (count % COUNTS);
}

export class IncidentLines {
  /** Mark of what was last written of an event, by event id, youngest last. */
  readonly #written = new Map<string, number>();
  readonly #grown: GrownEvents;

  /** `grownMs`: the shortest time between two lines of one event that no revision asked for. */
  constructor(restored: readonly Incident[], grownMs: number) {
    this.#grown = new GrownEvents(grownMs);
    for (const incident of restored) for (const event of incident.events) this.#mark(event, incident.host);
  }

  /** Lines of the events that must stand before the incident's next revision, by event id. */
  newEvents(incident: Incident): Map<string, Buffer> {
    const lines = new Map<string, Buffer>();
    for (const event of incident.events.map(this.newest)) {
      const known = this.#written.get(event.id);
      if (this.#mark(event, incident.host) !== known) lines.set(event.id, eventLine(event, incident.host));
    }
    for (const oldest of this.#written.keys()) {
      if (this.#written.size <= KNOWN_EVENTS) break;
      this.#written.delete(oldest);
    }
    return lines;
  }

  /** An event in the newest form that was heard of: a revision may be older. */
  readonly newest = (event: FaultEvent): FaultEvent => this.#grown.newest(event);

  /** An event as it is now. True where the log has an earlier form, so that `grown` will have it. */
  heard(event: FaultEvent): boolean {
    return this.#grown.heard(event);
  }

  /** Lines of events that grew and whose turn it is, or of all of them, by event id. */
  grown(ends: boolean): Map<string, Buffer> {
    const due = this.#grown.due(performance.now(), ends);
    for (const { event, host } of due) this.#mark(event, host);
    return new Map(due.map(({ event, host }) => [event.id, eventLine(event, host)]));
  }

  /** Whether an event grew of which the log does not tell yet. */
  get behind(): boolean {
    return this.#grown.waiting;
  }

  /** The event's line was given up: it is written again with the next revision that names it. */
  forget(eventId: string): void {
    this.#written.delete(eventId);
  }

  #mark(event: FaultEvent, host: string): number {
    const mark = markOf(event);
    this.#written.delete(event.id);
    this.#written.set(event.id, mark);
    this.#grown.written(event, host, performance.now());
    return mark;
  }
}
