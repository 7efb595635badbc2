// Carry: the lines of what is open, kept in memory so that each new log file can begin with them.

import type { Incident } from '../../model/incident.ts';

interface Carried {
  /** Lines of its events by event id, then its newest revision. */
  readonly events: Map<string, Buffer>;
  revision: Buffer;
}

export class Carry {
  readonly #maxBytes: number;
  readonly #open = new Map<string, Carried>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  keep(incident: Incident, events: ReadonlyMap<string, Buffer>, revision: Buffer): void {
    const known = this.#open.get(incident.id)?.events ?? new Map<string, Buffer>();
    this.#open.delete(incident.id);
    if (incident.state === 'resolved') return;
    const named = new Set(incident.chain.map((link) => link.eventId));
    const kept = [...known, ...events].filter(([id]) => named.has(id));
    this.#open.set(incident.id, { events: new Map(kept), revision });
  }

  /** The newest open incidents that fit under the cap, oldest first. */
  bytes(): Buffer {
    const blocks: Buffer[] = [];
    let room = this.#maxBytes;
    for (const { events, revision } of [...this.#open.values()].reverse()) {
      const block = Buffer.concat([...events.values(), revision]);
      room -= block.length;
      if (room < 0) break;
      blocks.unshift(block);
    }
    return Buffer.concat(blocks);
  }
}
