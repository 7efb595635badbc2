// Event memory: keeps over a restart of the daemon the events that explain what follows — plans, causes that are over — each sort in
// a file of the state folder.

import { type StateDocument, StateFile } from '../../helpers/files/state-file.ts';
import { eventFromDocument, eventToDocument } from '../../model/documents/event.ts';
import type { FaultEvent } from '../../model/event.ts';
import { clockHead, type Placed, placing, type RunClock } from './run-clock.ts';

const MAX_BYTES = 4 * 1024 * 1024;
const MOST_EVENTS = 256;
/** Nothing planned explains for longer, and no incident stays open without a sign of life. */
const OLDEST_MS = 7 * 86_400_000;

export interface EventMemoryOptions extends RunClock {
  /** The state folder; null to remember nothing. */
  readonly directory: string | null;
  readonly name: string;
  /** `faultline/plans/1`. */
  readonly schema: string;
  readonly settleMs: number;
  readonly host: string;
  readonly remembered: () => readonly FaultEvent[];
  readonly onTrouble: (what: 'unwritten' | 'damaged', detail: string) => void;
}

export class EventMemory {
  readonly #options: EventMemoryOptions;
  readonly file: StateFile;

  constructor(options: EventMemoryOptions) {
    const { directory, name, schema, settleMs, host, remembered, onTrouble } = options;
    this.#options = options;
    this.file = new StateFile({
      directory,
      name,
      schema,
      maxBytes: MAX_BYTES,
      settleMs,
      head: () => clockHead(options),
      content: () => ({
        events: remembered()
          .slice(-MOST_EVENTS)
          .map((event) => eventToDocument(event, host)),
      }),
      onTrouble,
    });
  }

  /** What the run before this one remembered, on the clock of this one; nothing where there is no such file, or it is damaged. */
  async read(): Promise<FaultEvent[]> {
    let events: FaultEvent[] = [];
    await this.file.read((document) => {
      if (!Array.isArray(document.events)) return false;
      events = this.#placed(document, document.events);
      return true;
    });
    return events;
  }

  #placed(document: StateDocument, events: readonly unknown[]): FaultEvent[] {
    const oldestMs = this.#options.now() - OLDEST_MS;
    const place = placing(document, this.#options);
    return events
      .slice(-MOST_EVENTS)
      .map(eventFromDocument)
      .flatMap((event) => (event === null ? [] : (moved(event, place) ?? [])))
      .filter(({ timeMs }) => timeMs >= oldestMs);
  }
}

/** The clock was set between the two runs: the same instant has another number now. */
function moved(event: FaultEvent, place: Placed): FaultEvent | null {
  const { observedMs, interval } = event;
  const timeMs = place(event.timeMs);
  if (timeMs === null) return null;
  const byMs = timeMs - event.timeMs;
  if (byMs === 0) return event;
  return {
    ...event,
    timeMs,
    observedMs: observedMs + byMs,
    interval: { earliestMs: interval.earliestMs + byMs, latestMs: interval.latestMs + byMs },
  };
}
