// Newest lines: of each incident in the log, which lines its newest revision is made of: the newest whole one and what follows it.

import type { INCIDENT_SCHEMA } from '../../model/documents/incident.ts';
import type { Head } from './head.ts';
import type { LogPlace, Spot } from './read-log.ts';

export interface NewestLine {
  readonly revision: number;
  readonly open: boolean;
  /** Where that revision was seen first: a new file begins with what is open, said again. */
  readonly place: LogPlace;
  /** The revision that is whole, or the first that there is. */
  readonly base: number;
  /** Lines before this one, counted by `#seen`, are not needed. */
  readonly from: number;
}

interface Needed {
  readonly id: string;
  readonly revision: number;
  readonly spot: Spot;
  readonly number: number;
}

/** More lines than this are found faster by reading everything once more. */
const MOST_SPOTS = 32_768;
/** So many that are not needed any more may be among them, besides as many as are. */
const MOST_SPARE = 4096;

type IncidentHead = Extract<Head, { schema: typeof INCIDENT_SCHEMA }>;

export class NewestLines {
  readonly #limit: number;
  /** Those that changed last at the end. */
  readonly #newest = new Map<string, NewestLine>();
  #needed: Needed[] = [];
  /** Of these so many were left when they were looked through last. */
  #left = 0;
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

  take({ id, revision, open, since }: IncidentHead, place: LogPlace, length: number): void {
    const known = this.#newest.get(id);
    const again = known?.revision === revision && since === null;
    if (known !== undefined && known.revision >= revision && !again) return;
    this.#seen += 1;
    const whole = since === null || known === undefined;
    const [base, from] = whole ? [revision, this.#seen] : [known.base, known.from];
    if (again) this.#newest.set(id, { ...known, base, from });
    else {
      this.#newest.delete(id);
      this.#newest.set(id, { revision, open, place, base, from });
    }
    if (!this.#tooMany) this.#needed.push({ id, revision, spot: { ...place, length }, number: this.#seen });
    if (this.#newest.size > this.#limit * 2) this.trim();
    if (this.#needed.length > Math.min(this.#left * 2, MOST_SPOTS) + MOST_SPARE) this.#forgetOld();
  }

  trim(): void {
    for (const [id, { open }] of this.#newest) {
      if (this.#newest.size <= this.#limit) return;
      if (!open) this.#newest.delete(id);
    }
  }

  /** The lines that are needed, in the order of the log; null where they are too many. */
  needed(): readonly Needed[] | null {
    this.#forgetOld();
    return this.#tooMany ? null : this.#needed;
  }

  #forgetOld(): void {
    this.#needed = this.#needed.filter(
      ({ id, number }) => number >= (this.#newest.get(id)?.from ?? Number.POSITIVE_INFINITY),
    );
    this.#left = this.#needed.length;
    if (this.#left <= MOST_SPOTS) return;
    this.#tooMany = true;
    this.#needed = [];
  }
}
