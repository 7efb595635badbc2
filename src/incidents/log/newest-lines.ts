// Newest lines: of each incident in the log, which lines its newest revision is made of: the newest whole one and what follows it.

import type { INCIDENT_SCHEMA } from '../../model/documents/incident.ts';
import type { Head } from './head.ts';
import type { LogPlace } from './read-log.ts';
import type { Spot } from './spots.ts';

/** A line that the newest revision of an incident is made of. */
export interface NeededLine extends Spot {
  readonly id: string;
  readonly revision: number;
  /** Of the lines that were taken, in their order. */
  readonly number: number;
}

export interface NewestLine {
  readonly revision: number;
  readonly open: boolean;
  /** Where that revision was seen first: a new file begins with what is open, said again. */
  readonly place: LogPlace;
  /** The revision that is whole, or the first that there is. */
  readonly base: number;
  /** From that one on; none where there are too many of all incidents. */
  readonly lines: NeededLine[];
}

/** The places of more lines than this would take more memory (90 bytes each) than they save. */
const MOST_SPOTS = 131_072;

type IncidentHead = Extract<Head, { schema: typeof INCIDENT_SCHEMA }>;

export class NewestLines {
  readonly #limit: number;
  /** Those that changed last at the end. */
  readonly #newest = new Map<string, NewestLine>();
  /** Lines that are needed of all of them. */
  #needed = 0;
  #tooMany = false;
  #seen = 0;

  /** Where there are more incidents, the resolved ones that changed longest ago are left out. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get(id: string): NewestLine | undefined {
    return this.#newest.get(id);
  }

  get size(): number {
    return this.#newest.size;
  }

  ids(): IterableIterator<string> {
    return this.#newest.keys();
  }

  take({ id, revision, open, since }: IncidentHead, { path, line, offset }: LogPlace, length: number): void {
    const known = this.#newest.get(id);
    const again = known?.revision === revision && since === null;
    if (known !== undefined && known.revision >= revision && !again) return;
    this.#seen += 1;
    const needed: NeededLine = { id, revision, path, line, offset, length, number: this.#seen };
    const whole = since === null || known === undefined;
    // Of a list that is pushed to from empty V8 makes room for seventeen.
    const lines = whole ? (this.#tooMany ? [] : [needed]) : known.lines;
    if (whole) this.#needed -= known?.lines.length ?? 0;
    else if (!this.#tooMany) lines.push(needed);
    if (!this.#tooMany) this.#needed += 1;
    if (again) this.#newest.set(id, { ...known, base: revision, lines });
    else {
      this.#newest.delete(id);
      this.#newest.set(id, { revision, open, place: needed, base: whole ? revision : known.base, lines });
    }
    if (this.#newest.size > this.#limit * 2) this.trim();
    if (this.#needed > MOST_SPOTS) this.#forgetAll();
  }

  trim(): void {
    for (const [id, { open, lines }] of this.#newest) {
      if (this.#newest.size <= this.#limit) return;
      if (open) continue;
      this.#needed -= lines.length;
      this.#newest.delete(id);
    }
  }

  /** The lines that are needed, in the order of the log; null where they are too many. */
  needed(): readonly NeededLine[] | null {
    if (this.#tooMany) return null;
    return [...this.#newest.values()].flatMap(({ lines }) => lines).sort((a, b) => a.number - b.number);
  }

  #forgetAll(): void {
    this.#tooMany = true;
    this.#needed = 0;
    for (const { lines } of this.#newest.values()) lines.length = 0;
  }
}
