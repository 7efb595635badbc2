// Run memory: all that a run of the daemon leaves for the next one besides its incident log and the parts of the host — plans
// that explain what follows, what kept happening to a device, and how often what happens here has no consequence.

import { RepeatBook } from '../../correlation/repeats/repeat-book.ts';
import { PastEvents } from '../../correlation/window/past-events.ts';
import type { StateFile } from '../../helpers/files/state-file.ts';
import type { FaultEvent } from '../../model/event.ts';
import { BookMemory } from './book-memory.ts';
import { PlanMemory, type PlanMemoryOptions } from './plan-memory.ts';

/** A GPU's fault may bring the host down within moments. */
const REPEATS_SETTLE_MS = 1_000;
/** Counts of weeks: a minute less does not matter. */
const PAST_SETTLE_MS = 60_000;

export interface RunMemoryOptions extends Omit<PlanMemoryOptions, 'onTrouble'> {
  readonly latenessMs: number;
  readonly onTrouble: (file: string, what: 'unwritten' | 'damaged', detail: string) => void;
}

export class RunMemory {
  readonly repeats: RepeatBook;
  readonly pastEvents: PastEvents;
  /** What the run before this one remembered of plans; given away once. */
  readonly #plans: PlanMemory;
  readonly #repeats: BookMemory;
  readonly #past: BookMemory;

  constructor({ onTrouble, latenessMs, ...options }: RunMemoryOptions) {
    this.repeats = new RepeatBook(() => this.#repeats.file.changed());
    this.pastEvents = new PastEvents(latenessMs, () => this.#past.file.changed());
    const of = (name: string) => ({
      ...options,
      name,
      onTrouble: (what: 'unwritten' | 'damaged', detail: string) => onTrouble(name, what, detail),
    });
    this.#plans = new PlanMemory(of('plans.json'));
    this.#repeats = new BookMemory(this.repeats, {
      ...of('repeats.json'),
      schema: 'faultline/repeats/1',
      settleMs: REPEATS_SETTLE_MS,
    });
    this.#past = new BookMemory(this.pastEvents, {
      ...of('past-events.json'),
      schema: 'faultline/past-events/1',
      settleMs: PAST_SETTLE_MS,
    });
  }

  /** Takes up what the run before this one left; returns its plans. To be called once, before the first event. */
  async read(): Promise<FaultEvent[]> {
    await Promise.all([this.#repeats.read(), this.#past.read()]);
    return await this.#plans.read();
  }

  /** What is planned, or explained by it, may have changed. */
  plansChanged(): void {
    this.#plans.file.changed();
  }

  get files(): readonly StateFile[] {
    return [this.#plans, this.#repeats, this.#past].map(({ file }) => file);
  }

  /** Writes what waits. */
  async stop(): Promise<void> {
    await Promise.all(this.files.map((file) => file.stop()));
  }
}
