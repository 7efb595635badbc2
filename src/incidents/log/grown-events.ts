// Grown events: events of the log that were seen again since their line, which no revision may ever tell: a line of their own, ever rarer.

import { supersedes } from '../../correlation/window/event-order.ts';
import { remember } from '../../helpers/remember.ts';
import type { FaultEvent } from '../../model/event.ts';

/** `event`: in its newest form. */
export interface Grown {
  event: FaultEvent;
  readonly host: string;
}

interface Known extends Grown {
  /** The newest form is not in the log. */
  waits: boolean;
  readonly firstMs: number;
  lastMs: number;
}

const MOST_EVENTS = 2048;
/** Lines a look: of a storm of events each gets its turn. */
const MOST_LINES = 64;
/** An event that continues is written again after a quarter of its age: fifty lines in a day, and never far behind. */
const SHARE_OF_AGE = 0.25;

export class GrownEvents {
  /** By event id, written last at the end. */
  readonly #known = new Map<string, Known>();
  readonly #pauseMs: number;

  /** `pauseMs`: the shortest time between two lines of one event. */
  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  /** The event in its newest form. */
  newest(event: FaultEvent): FaultEvent {
    const known = this.#known.get(event.id);
    return known !== undefined && supersedes(known.event, event) ? known.event : event;
  }

  /** A line of this form was handed over. Times are monotonic, ms. */
  written(event: FaultEvent, host: string, nowMs: number): void {
    const firstMs = this.#known.get(event.id)?.firstMs ?? nowMs;
    remember(this.#known, event.id, { event, host, waits: false, firstMs, lastMs: nowMs }, MOST_EVENTS);
  }

  /** True where the log has an earlier form of it, so that something waits now. */
  heard(event: FaultEvent): boolean {
    const known = this.#known.get(event.id);
    if (known === undefined || !supersedes(event, known.event)) return false;
    known.event = event;
    known.waits = true;
    return true;
  }

  /** Those whose time has come, which are to be written now; all that wait where the log ends. */
  due(nowMs: number, ends: boolean): readonly Grown[] {
    const waiting = [...this.#known.values()].filter(({ waits }) => waits);
    if (ends) return waiting;
    const isDue = ({ firstMs, lastMs }: Known): boolean =>
      nowMs - lastMs >= Math.max(this.#pauseMs, (lastMs - firstMs) * SHARE_OF_AGE);
    return waiting.filter(isDue).slice(0, MOST_LINES);
  }

  get waiting(): boolean {
    return [...this.#known.values()].some(({ waits }) => waits);
  }
}
