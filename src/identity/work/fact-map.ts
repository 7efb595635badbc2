// FactMap: the facts of one kind by their key. One replaces the one before; what is there may change when there is no more room.

import { isDeepStrictEqual } from 'node:util';
import { hasRoom } from '../../helpers/has-room.ts';

/** Called after each change: undefined where there was none before, or there is none after. */
export type Changed<F> = (before: F | undefined, after: F | undefined) => void;

export class FactMap<F> {
  readonly #facts = new Map<string, F>();
  readonly #keyOf: (fact: F) => string;
  readonly #most: number;
  readonly #changed: Changed<F>;
  /** How many were refused for want of room. */
  refused = 0;

  constructor(keyOf: (fact: F) => string, most: number, changed: Changed<F>) {
    this.#keyOf = keyOf;
    this.#most = most;
    this.#changed = changed;
  }

  get size(): number {
    return this.#facts.size;
  }

  get(key: string): F | undefined {
    return this.#facts.get(key);
  }

  set(fact: F): void {
    const key = this.#keyOf(fact);
    if (!hasRoom(this.#facts, key, this.#most)) {
      this.refused += 1;
      return;
    }
    const before = this.#facts.get(key);
    if (isDeepStrictEqual(before, fact)) return;
    this.#facts.set(key, fact);
    this.#changed(before, fact);
  }

  drop(key: string): void {
    const before = this.#facts.get(key);
    if (this.#facts.delete(key)) this.#changed(before, undefined);
  }

  /** These are all that there are: others are dropped. `of`: whose the others are; left out: all of them. */
  replace(facts: readonly F[], of: (fact: F) => boolean = () => true): void {
    const kept = new Set(facts.map(this.#keyOf));
    for (const [key, fact] of this.#facts) if (of(fact) && !kept.has(key)) this.drop(key);
    for (const fact of facts) this.set(fact);
  }

  /** In no order, for what looks at all of them often. */
  each(): Iterable<F> {
    return this.#facts.values();
  }

  some(test: (fact: F) => boolean): boolean {
    for (const fact of this.#facts.values()) if (test(fact)) return true;
    return false;
  }

  /** Rising by key, whatever order they came in. */
  values(): readonly F[] {
    return [...this.#facts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, fact]) => fact);
  }
}
