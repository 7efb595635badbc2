// Carry: the lines of what is open or in force, kept in memory so that each new log file can begin with them.

import { componentText } from '../../model/component.ts';
import type { Incident } from '../../model/incident.ts';
import type { Note } from '../../model/note.ts';

interface Carried {
  /** Lines of its events by event id, then its newest revision. */
  readonly events: Map<string, Buffer>;
  revision: Buffer;
  /** The newest acknowledgement and the newest verdict. */
  readonly notes: Map<Note['kind'], Buffer>;
}

/** Maintenance carried; an end takes its start away. */
const MOST_MAINTENANCE = 64;

export class Carry {
  readonly #maxBytes: number;
  readonly #now: () => number;
  readonly #open = new Map<string, Carried>();
  /** By component. */
  readonly #maintenance = new Map<string, { readonly untilMs: number | null; readonly line: Buffer }>();

  constructor(maxBytes: number, now: () => number) {
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  keep(incident: Incident, events: ReadonlyMap<string, Buffer>, revision: Buffer): void {
    const { events: known = new Map<string, Buffer>(), notes = new Map() } = this.#open.get(incident.id) ?? {};
    this.#open.delete(incident.id);
    if (incident.state === 'resolved') return;
    const named = new Set(incident.chain.map((link) => link.eventId));
    const kept = [...known, ...events].filter(([id]) => named.has(id));
    this.#open.set(incident.id, { events: new Map(kept), revision, notes });
  }

  /** What was said of a resolved incident stays where it was written: it grows old together with the incident. */
  keepNote(note: Note, line: Buffer): void {
    if (note.kind !== 'maintenance') {
      this.#open.get(note.incidentId)?.notes.set(note.kind, line);
      return;
    }
    const text = componentText(note.component);
    this.#maintenance.delete(text);
    if (note.state === 'start') this.#maintenance.set(text, { untilMs: note.untilMs, line });
    for (const oldest of this.#maintenance.keys()) {
      if (this.#maintenance.size <= MOST_MAINTENANCE) break;
      this.#maintenance.delete(oldest);
    }
  }

  /** The maintenance in force, then the newest open incidents that fit under the cap, oldest first. */
  bytes(): Buffer {
    const blocks: Buffer[] = [];
    let room = this.#maxBytes;
    const nowMs = this.#now();
    for (const [text, { untilMs }] of this.#maintenance) {
      if (untilMs !== null && untilMs <= nowMs) this.#maintenance.delete(text);
    }
    const maintenance = Buffer.concat([...this.#maintenance.values()].map(({ line }) => line));
    room -= maintenance.length;
    for (const { events, revision, notes } of [...this.#open.values()].reverse()) {
      const block = Buffer.concat([...events.values(), revision, ...notes.values()]);
      room -= block.length;
      if (room < 0) break;
      blocks.unshift(block);
    }
    return Buffer.concat([maintenance, ...blocks]);
  }
}
