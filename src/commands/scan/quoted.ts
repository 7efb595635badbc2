// Quoted: lines that a text quotes of a day which is over by what other logs say. Notes and mails speak of earlier incidents.

import type { EventInput, TextRecord } from '../../model/record.ts';
import { logOf } from './found-events.ts';

/** What is younger may well be what a user quotes to have it looked at. */
const EARLIER_MS = 86_400_000;
/** Who quotes more wrote no notes. */
const MOST = 65_536;

/** Names of logs and numbers of lines, as evidence has them. */
export class Quoted {
  readonly #places = new Set<string>();
  /** Texts of which events were left out. */
  readonly passed = new Set<string>();

  #newestMs = Number.NEGATIVE_INFINITY;

  /** A line that was read; only one that has a time and is quoted by none says of which day the logs are. */
  see({ timeMs, place }: TextRecord): void {
    if (timeMs !== null && timeMs > this.#newestMs && !this.#places.has(place ?? '')) this.#newestMs = timeMs;
  }

  take(place: string): void {
    if (this.#places.size < MOST) this.#places.add(place);
  }

  without(events: readonly EventInput[]): readonly EventInput[] {
    if (this.#places.size === 0) return events;
    return events.filter((event) => {
      const isOver =
        event.timeMs < this.#newestMs - EARLIER_MS && event.evidence?.every((each) => this.#isQuoted(each)) === true;
      if (isOver) this.passed.add(logOf(event));
      return !isOver;
    });
  }

  #isQuoted(each: NonNullable<EventInput['evidence']>[number]): boolean {
    return 'text' in each && each.place !== undefined && this.#places.has(each.place);
  }
}
