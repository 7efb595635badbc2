// Check book: the faults that NVSentinel was sent and that are open. What waits in the queue is held against it when it is sent: a
// fault that is over by then is sent for the record alone, and nothing is cleared that is open again or that another incident has.

import { remember } from '../../helpers/remember.ts';
import type { SentPart, SentParts } from '../delivery/journal/sent-journal.ts';
import type { UnnotedParts } from '../delivery/journal/sent-marks.ts';
import { checkKey, type HealthEvent, healthy, late } from './health-event.ts';

const MOST_OPEN = 2048;
const MOST_UNNOTED = 8192;
const OVER = 'over';

export interface Queued {
  readonly incident: string;
  readonly event: HealthEvent;
}

export class CheckBook implements UnnotedParts {
  /** By incident. */
  readonly #open = new Map<string, HealthEvent>();
  readonly #unnoted: SentPart[] = [];

  /** `sent`: what the journal of an earlier run has. */
  constructor(sent: SentParts = new Map()) {
    for (const [incident, parts] of sent) {
      const event = eventIn([...parts].at(-1) ?? OVER);
      if (event !== null) remember(this.#open, incident, event, MOST_OPEN);
    }
  }

  has(incident: string): boolean {
    return this.#open.has(incident);
  }

  get incidents(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** What is new: the fault as it is now, before it the end of what it was under another check; none where nothing is. */
  take(incident: string, event: HealthEvent | null, atMs: number): readonly Queued[] {
    const before = this.#open.get(incident);
    const isOther = before !== undefined && (event === null || checkKey(before) !== checkKey(event));
    const ended = isOther ? [{ incident, event: healthy(before, atMs) }] : [];
    if (event === null ? before === undefined : before !== undefined && !isOther && isSame(before, event)) return [];
    if (event === null) this.#open.delete(incident);
    else remember(this.#open, incident, event, MOST_OPEN);
    this.#note(incident, event);
    return event === null ? ended : [...ended, { incident, event }];
  }

  /** As it is now; null where it is of no use any more. */
  asNow({ incident, event }: Queued): HealthEvent | null {
    const key = checkKey(event);
    const own = this.#open.get(incident);
    const isOpen = own !== undefined && checkKey(own) === key;
    if (!event.isHealthy) return isOpen ? own : late(event);
    const others = [...this.#open.values()].some((each) => checkKey(each) === key);
    return isOpen || others ? null : event;
  }

  get unnoted(): number {
    return this.#unnoted.length;
  }

  takeUnnoted(count: number): SentPart[] {
    return this.#unnoted.splice(0, count);
  }

  #note(incidentId: string, event: HealthEvent | null): void {
    this.#unnoted.push({ incidentId, part: event === null ? OVER : JSON.stringify(event), whole: true });
    if (this.#unnoted.length > MOST_UNNOTED) this.#unnoted.shift();
  }
}

function isSame(a: HealthEvent, b: HealthEvent): boolean {
  const words = ({ isFatal, recommendedAction, customRecommendedAction, processingStrategy, metadata }: HealthEvent) =>
    [isFatal, recommendedAction, customRecommendedAction, processingStrategy, metadata.severity].join(' ');
  return words(a) === words(b);
}

/** Null for the end of one, and for what cannot be read: it is sent again then. */
function eventIn(part: string): HealthEvent | null {
  if (part === OVER) return null;
  try {
    return JSON.parse(part) as HealthEvent; // what `#note` made
  } catch {
    return null;
  }
}
