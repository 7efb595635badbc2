// Run memory: all that a run of the daemon leaves for the next one besides its incident log and the parts of the host — plans
// that explain what follows, causes that are over, what kept happening to a device, how often what happens here has no consequence,
// and settings that declared work changed.

import { RepeatBook } from '../../correlation/repeats/repeat-book.ts';
import { PastEvents } from '../../correlation/window/past-events.ts';
import { LeftBehind } from '../../detection/rules/left-behind.ts';
import type { StateFile } from '../../helpers/files/state-file.ts';
import type { FaultEvent } from '../../model/event.ts';
import { BookMemory } from './book-memory.ts';
import { EventMemory, type EventMemoryOptions } from './event-memory.ts';

const PLANS_SETTLE_MS = 1_000;
const CAUSES_SETTLE_MS = 5_000;
/** A GPU's fault may bring the host down within moments. */
const REPEATS_SETTLE_MS = 1_000;
/** Counts of weeks: a minute less does not matter. */
const PAST_SETTLE_MS = 60_000;

/** What the run before this one left of events. */
export interface EventsBefore {
  readonly plans: readonly FaultEvent[];
  readonly causes: readonly FaultEvent[];
}

export interface RunMemoryOptions
  extends Omit<EventMemoryOptions, 'onTrouble' | 'name' | 'schema' | 'settleMs' | 'remembered'> {
  readonly plans: () => readonly FaultEvent[];
  readonly causes: () => readonly FaultEvent[];
  readonly latenessMs: number;
  readonly onTrouble: (file: string, what: 'unwritten' | 'damaged', detail: string) => void;
}

export class RunMemory {
  readonly repeats: RepeatBook;
  readonly pastEvents: PastEvents;
  readonly settings: LeftBehind;
  readonly #plans: EventMemory;
  readonly #causes: EventMemory;
  readonly #repeats: BookMemory;
  readonly #past: BookMemory;
  readonly #settings: BookMemory;

  constructor({ onTrouble, latenessMs, plans, causes, ...options }: RunMemoryOptions) {
    this.repeats = new RepeatBook(() => this.#repeats.file.changed());
    this.pastEvents = new PastEvents(latenessMs, () => this.#past.file.changed());
    this.settings = new LeftBehind(options.host, () => this.#settings.file.changed());
    const of = (name: string) => ({
      ...options,
      name,
      onTrouble: (what: 'unwritten' | 'damaged', detail: string) => onTrouble(name, what, detail),
    });
    this.#plans = new EventMemory({
      ...of('plans.json'),
      schema: 'faultline/plans/1',
      settleMs: PLANS_SETTLE_MS,
      remembered: plans,
    });
    this.#causes = new EventMemory({
      ...of('causes.json'),
      schema: 'faultline/causes/1',
      settleMs: CAUSES_SETTLE_MS,
      remembered: causes,
    });
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
    this.#settings = new BookMemory(this.settings, {
      ...of('settings.json'),
      schema: 'faultline/settings/1',
      settleMs: PLANS_SETTLE_MS,
    });
  }

  /** Takes up what the run before this one left; returns its events. To be called once, before the first event. */
  async read(): Promise<EventsBefore> {
    await Promise.all([this.#repeats.read(), this.#past.read(), this.#settings.read()]);
    return { plans: await this.#plans.read(), causes: await this.#causes.read() };
  }

  /** What happened may be a cause of what follows once it is over. */
  happened(): void {
    this.#causes.file.changed();
  }

  /** What is planned, or explained by it, may have changed. */
  plansChanged(): void {
    this.#plans.file.changed();
  }

  get files(): readonly StateFile[] {
    return [this.#plans, this.#causes, this.#repeats, this.#past, this.#settings].map(({ file }) => file);
  }

  /** Writes what waits. */
  async stop(): Promise<void> {
    await Promise.all(this.files.map((file) => file.stop()));
  }
}
