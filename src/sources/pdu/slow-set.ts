// The slow objects of one PDU: all of them due every so many looks. They ride in what room the request for the fast ones has; what
// finds none is asked for by itself. No I/O.

import type { PlannedCell } from './pdu-plan.ts';

/** Due every so many looks. */
const EVERY = 15;
/** Objects asked for in one go. */
const BATCH = 20;
/** A device that takes longer over a request with riders, ms, is asked for both apart: what is slow holds up nothing that is fast. */
const QUICK_MS = 100;

export class SlowSet {
  readonly #all: readonly PlannedCell[];
  #left: readonly PlannedCell[] = [];
  #looksLeft = 0;
  /** Not before all were read by themselves, none of them failing; nor after a request with riders took long or failed. */
  #rides = false;
  /** Some were taken out, and nothing is known yet of what became of them. */
  #asked = false;
  /** A request for some failed since all were due last. */
  #failed = false;

  constructor(cells: readonly PlannedCell[]) {
    this.#all = cells;
  }

  /** Those that ride with this look, so many objects at most. They are taken out: what fails is tried again when all are due again. */
  riders(room: number): readonly PlannedCell[] {
    this.#note();
    if (!this.#rides || room < 1) return [];
    const oids = new Set<string>();
    const end = this.#left.findIndex(({ oid, guard }) => {
      oids.add(oid);
      if (guard !== undefined) oids.add(guard.oid);
      return oids.size > room;
    });
    return this.#take(end < 0 ? this.#left.length : end);
  }

  /** What was taken out last was answered, so long after it was asked for. */
  answered(tookMs: number): void {
    this.#rides &&= !this.#asked || tookMs < QUICK_MS;
    this.#asked = false;
  }

  /** What was read with them is not believed: they ride again. */
  putBack(riders: readonly PlannedCell[]): void {
    this.#left = [...riders, ...this.#left];
  }

  /** A look is over, but for these. */
  turn(): void {
    this.#looksLeft -= 1;
    if (this.#looksLeft >= 0 || this.#left.length > 0) return;
    this.#left = this.#all;
    this.#looksLeft = EVERY - 1;
    this.#failed = false;
  }

  /** The next to ask for by themselves; none while the looks until all are due again have room for them. Taken out, as riders are. */
  batch(room: number): readonly PlannedCell[] {
    this.#note();
    if (this.#rides && this.#left.length <= room * (this.#looksLeft + 1)) return [];
    const batch = this.#take(BATCH);
    this.#rides ||= this.#left.length === 0 && !this.#failed;
    return batch;
  }

  #take(count: number): readonly PlannedCell[] {
    const taken = this.#left.slice(0, count);
    this.#left = this.#left.slice(count);
    this.#asked = taken.length > 0;
    return taken;
  }

  /** Nothing was heard of what was taken out before: its request failed. */
  #note(): void {
    if (!this.#asked) return;
    this.#asked = false;
    this.#failed = true;
    this.#rides = false;
  }
}
