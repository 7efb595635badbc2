// What is remembered of one BMC: the certificate that it showed first, the session that is open on it, and how far its logs were read.

import type { LogPlace } from '../log/log-place.ts';

const MOST_LOGS = 16;

/** Where a session is, never its token: that would be a key to the BMC on disk. */
export interface OpenSession {
  readonly location: string;
  readonly user: string;
  /** As the BMC wrote it; null where it does not. */
  readonly created: string | null;
}

export interface BmcFacts {
  readonly fingerprint: string | null;
  readonly session: OpenSession | null;
  readonly logs: Readonly<Record<string, LogPlace>>;
}

export const NO_FACTS: BmcFacts = { fingerprint: null, session: null, logs: {} };

export class BmcRecord {
  readonly #changed: () => void;
  #facts: BmcFacts;

  constructor(facts: BmcFacts = NO_FACTS, changed: () => void = () => undefined) {
    this.#facts = facts;
    this.#changed = changed;
  }

  get facts(): BmcFacts {
    return this.#facts;
  }

  /** SHA-256 of the certificate that it showed first, hex; null where none was kept. */
  get fingerprint(): string | null {
    return this.#facts.fingerprint;
  }

  get session(): OpenSession | null {
    return this.#facts.session;
  }

  pin(fingerprint: string): void {
    this.#set({ ...this.#facts, fingerprint });
  }

  opened(session: OpenSession | null): void {
    if (session !== this.#facts.session) this.#set({ ...this.#facts, session });
  }

  place(log: string): LogPlace | null {
    return this.#facts.logs[log] ?? null;
  }

  read(log: string, place: LogPlace): void {
    const known = this.place(log);
    if (known?.id === place.id && known.createdMs === place.createdMs) return;
    const others = Object.entries(this.#facts.logs).filter(([name]) => name !== log);
    this.#set({ ...this.#facts, logs: Object.fromEntries([...others, [log, place] as const].slice(-MOST_LOGS)) });
  }

  /** What an earlier run left. */
  recall(facts: BmcFacts): void {
    this.#facts = facts;
  }

  #set(facts: BmcFacts): void {
    this.#facts = facts;
    this.#changed();
  }
}
