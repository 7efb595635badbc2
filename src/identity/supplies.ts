// Supplies: the power supplies that a BMC of this host lists, for what compares parts; taught by the source that reads it.

import type { Part } from './parts/part.ts';

export class Supplies {
  #listed: readonly Part[] | null = null;

  /** All that are in their bays, as of now; null while no BMC says. */
  listed(): readonly Part[] | null {
    return this.#listed;
  }

  saw(supplies: readonly Part[] | null): void {
    this.#listed = supplies;
  }
}
