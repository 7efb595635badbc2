// Decoders: one for each stream, job or service; those that only their senders name are few, and take no place from the others.

import { recall } from '../../helpers/remember.ts';

/** Streams and jobs are configured or found; more of them than this come from nowhere good. */
const MOST_KNOWN = 256;
/** Whoever may send may invent any name. */
export const MOST_CLAIMED = 16;

export class Decoders<T> {
  readonly #known = new Map<string, T>();
  readonly #claimed = new Map<string, T>();

  /** The one of this name. `claimed`: nothing but its sender names it so. */
  of(name: string, claimed: boolean, make: () => T): T {
    const known = this.#known.get(name);
    if (known !== undefined && this.#known.size === 1 && this.#claimed.size === 0) return known;
    if (claimed && known === undefined) return recall(this.#claimed, name, make, MOST_CLAIMED);
    const before = this.#claimed.get(name);
    if (before !== undefined) this.#claimed.delete(name);
    return recall(this.#known, name, () => before ?? make(), MOST_KNOWN);
  }

  get(name: string): T | undefined {
    return this.#known.get(name) ?? this.#claimed.get(name);
  }

  isClaimed(name: string): boolean {
    return this.#claimed.has(name);
  }

  values(): T[] {
    return [...this.#known.values(), ...this.#claimed.values()];
  }
}
