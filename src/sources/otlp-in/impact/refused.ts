// Refused: what of a request was not taken, counted by reason, with the first case of each in words.

import { ALL_TAKEN, type Taken } from '../receive/signals.ts';

const MOST_REASONS = 4;

export class Refused {
  readonly #unit: string;
  readonly #reasons = new Map<string, { count: number; readonly first: string }>();
  #count = 0;

  /** `unit`: what is counted: "spans". */
  constructor(unit: string) {
    this.#unit = unit;
  }

  /** `where`: the path of the first one. */
  add(reason: string, where = '', count = 1): void {
    this.#count += count;
    const known = this.#reasons.get(reason);
    if (known !== undefined) known.count += count;
    else if (this.#reasons.size < MOST_REASONS) this.#reasons.set(reason, { count, first: where });
  }

  taken(): Taken {
    if (this.#reasons.size === 0) return ALL_TAKEN;
    const reasons = [...this.#reasons].map(
      ([reason, { count, first }]) => `${count} ${this.#unit}: ${reason}${first === '' ? '' : ` (first: ${first})`}`,
    );
    return { rejected: this.#count, why: reasons.join('; ') };
  }
}
