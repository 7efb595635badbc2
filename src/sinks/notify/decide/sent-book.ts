// Sent book: what each channel has heard of each incident; what of it is new goes to the journal once the queue has it.

import { forgetOldest, remember } from '../../../helpers/remember.ts';
import { SEVERITIES, type Severity } from '../../../model/severity.ts';
import type { SentPart, SentParts } from '../../delivery/journal/sent-journal.ts';
import type { UnnotedParts } from '../../delivery/journal/sent-marks.ts';

export interface Sent {
  readonly state: 'open' | 'resolved' | 'held';
  readonly conversation: string;
  readonly group: string | null;
  /** Notifications so far: the next one's key has it. */
  readonly count: number;
  readonly severity: Severity;
  /** The worst that the channel heard of. */
  readonly worst: Severity;
  readonly kind: string;
  readonly headline: string;
  /** Of the headlines of changes that were sent. */
  readonly hashes: readonly string[];
  readonly firstMs: number;
  readonly lastMs: number;
  readonly acknowledged: boolean;
  /** Why it is held back. */
  readonly why: string | null;
}

const MOST_INCIDENTS = 4096;
const MOST_UNNOTED = 16_384;
const MOST_FORGOTTEN = 16;

export class SentBook implements UnnotedParts {
  readonly #sent = new Map<string, ReadonlyMap<string, Sent>>();
  #unnoted: SentPart[] = [];

  /** `parts`: what the journal of an earlier run has. */
  constructor(parts: SentParts) {
    for (const [incidentId, own] of parts) {
      const sent = readSent([...own].at(-1) ?? '');
      if (sent.size > 0) this.#sent.set(incidentId, sent);
    }
  }

  get unnoted(): number {
    return this.#unnoted.length;
  }

  has(incidentId: string): boolean {
    return this.#sent.has(incidentId);
  }

  of(incidentId: string): ReadonlyMap<string, Sent> {
    return this.#sent.get(incidentId) ?? NOTHING;
  }

  /** Open incidents of a conversation in a channel, or of a group. */
  open(channel: string, which: (sent: Sent) => boolean): readonly (readonly [incidentId: string, sent: Sent])[] {
    const found: [string, Sent][] = [];
    for (const [incidentId, own] of this.#sent) {
      const sent = own.get(channel);
      if (sent?.state === 'open' && which(sent)) found.push([incidentId, sent]);
    }
    return found;
  }

  set(incidentId: string, channel: string, sent: Sent): void {
    const own = new Map([...this.of(incidentId), [channel, sent]]);
    remember(this.#sent, incidentId, own, Number.POSITIVE_INFINITY);
    // What is open is never forgotten: its end would be news of something that was never heard of.
    const mayGo = (id: string) => id !== incidentId && ![...this.of(id).values()].some(({ state }) => state === 'open');
    if (this.#sent.size > MOST_INCIDENTS) forgetOldest(this.#sent, mayGo, MOST_FORGOTTEN);
    this.#unnoted.push({ incidentId, part: JSON.stringify(Object.fromEntries(own)), whole: true });
    if (this.#unnoted.length > MOST_UNNOTED) this.#unnoted = this.#unnoted.slice(MOST_UNNOTED / 2);
  }

  takeUnnoted(count: number): SentPart[] {
    return this.#unnoted.splice(0, count);
  }
}

const NOTHING: ReadonlyMap<string, Sent> = new Map();

function readSent(part: string): ReadonlyMap<string, Sent> {
  try {
    const value: unknown = JSON.parse(part);
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return new Map(entries.filter((entry): entry is [string, Sent] => isSent(entry[1])));
  } catch {
    return NOTHING;
  }
}

function isSent(value: unknown): value is Sent {
  if (typeof value !== 'object' || value === null) return false;
  const { state, conversation, count, severity, worst, headline, hashes, kind, firstMs, lastMs } =
    value as Partial<Sent>; // fields of unknown type
  return (
    (state === 'open' || state === 'resolved' || state === 'held') &&
    [conversation, headline, kind].every((text) => typeof text === 'string') &&
    [count, firstMs, lastMs].every(Number.isFinite) &&
    Array.isArray(hashes) &&
    [severity, worst].every((each) => SEVERITIES.some((word) => word === each))
  );
}
