// Carry: what is open or in force, kept in memory so that each new log file can begin with it.

import { remember } from '../../helpers/remember.ts';
import { componentText } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { isOnIncident, MOST_SILENCES, type Note } from '../../model/note.ts';
import { eventLine, incidentLine } from './incident-lines.ts';

interface Carried {
  readonly incident: Incident;
  /** The newest acknowledgement and the newest verdict. */
  readonly notes: Map<Note['kind'], Buffer>;
}

/** Maintenance and silences carried; an end takes its start away. */
const MOST_DECLARED = 64 + MOST_SILENCES;

export class Carry {
  readonly #maxBytes: number;
  readonly #now: () => number;
  readonly #newest: (event: FaultEvent) => FaultEvent;
  readonly #open = new Map<string, Carried>();
  /** Maintenance by component, silences by id. */
  readonly #declared = new Map<string, { readonly untilMs: number | null; readonly line: Buffer }>();

  /** `newest`: an event as it is now. */
  constructor(maxBytes: number, now: () => number, newest: (event: FaultEvent) => FaultEvent) {
    this.#maxBytes = maxBytes;
    this.#now = now;
    this.#newest = newest;
  }

  keep(incident: Incident): void {
    const notes = this.#open.get(incident.id)?.notes ?? new Map();
    this.#open.delete(incident.id);
    if (incident.state === 'open') this.#open.set(incident.id, { incident, notes });
  }

  /** What was said of a resolved incident stays where it was written: it grows old together with the incident. */
  keepNote(note: Note, line: Buffer): void {
    if (isOnIncident(note)) {
      this.#open.get(note.incidentId)?.notes.set(note.kind, line);
      return;
    }
    const key = note.kind === 'silence' ? `silence ${note.silenceId ?? note.id}` : componentText(note.component);
    this.#declared.delete(key);
    if (note.state === 'start') remember(this.#declared, key, { untilMs: note.untilMs, line }, MOST_DECLARED);
  }

  /** Maintenance and silences in force, then the newest open incidents that fit under the cap, oldest first; and which these are. */
  begin(): { readonly bytes: Buffer; readonly ids: ReadonlySet<string> } {
    const blocks: Buffer[] = [];
    const ids = new Set<string>();
    let room = this.#maxBytes;
    const nowMs = this.#now();
    for (const [key, { untilMs }] of this.#declared) {
      if (untilMs !== null && untilMs <= nowMs) this.#declared.delete(key);
    }
    const declared = Buffer.concat([...this.#declared.values()].map(({ line }) => line));
    room -= declared.length;
    for (const [id, { incident, notes }] of [...this.#open].reverse()) {
      const events = incident.events.map((event) => eventLine(this.#newest(event), incident.host));
      const block = Buffer.concat([...events, incidentLine(incident), ...notes.values()]);
      room -= block.length;
      if (room < 0) break;
      blocks.unshift(block);
      ids.add(id);
    }
    return { bytes: Buffer.concat([declared, ...blocks]), ids };
  }
}
