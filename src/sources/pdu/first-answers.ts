// First answers: whether a PDU that was silent is believed when it then reads zero everywhere at once. No I/O.

import type { PduCell } from './read-cells.ts';

/** A card that starts again answers before it has read its meters: an all-zero answer so soon after a silence may be that. */
const SETTLING_MS = 60_000;
/** What is still zero after so long, and in so many reads, is. */
const HOLD_MS = 15_000;
const HOLD_READS = 3;

const QUANTITIES = ['current', 'voltage'] as const;

interface Held {
  readonly cells: readonly PduCell[];
  readonly sinceMs: number;
  reads: number;
}

export class FirstAnswers {
  /** Quantities of which something was above zero when all was last believed. */
  readonly #live = new Set<string>();
  /** When it answered again, ms; null where it was never silent. */
  #backMs: number | null = null;
  #silent = false;
  #held: Held | null = null;

  /** It did not answer, or its card started again. */
  silence(): void {
    this.#silent = true;
    this.#held = null;
  }

  /** Whether these may be what a card answers that knows nothing yet; true again and again until they hold. */
  doubts(cells: readonly PduCell[], nowMs: number): boolean {
    if (this.#silent) this.#backMs = nowMs;
    this.#silent = false;
    const settles = this.#held !== null || (this.#backMs !== null && nowMs - this.#backMs < SETTLING_MS);
    const lost = settles && QUANTITIES.some((quantity) => this.#live.has(quantity) && isZero(cells, quantity));
    if (!lost) {
      this.#held = null;
      this.#believe(cells);
      return false;
    }
    if (this.#held !== null) this.#held.reads += 1;
    const { sinceMs, reads } = this.#held ?? { sinceMs: nowMs, reads: 1 };
    if (reads < HOLD_READS || nowMs - sinceMs < HOLD_MS) return true;
    this.#believe(cells);
    return false;
  }

  /** Whether the first of the doubted reads is kept already. */
  get holds(): boolean {
    return this.#held !== null;
  }

  /** Keeps the first of the doubted reads: it says since when, should they hold. */
  hold(cells: readonly PduCell[], nowMs: number): void {
    this.#held ??= { cells, sinceMs: nowMs, reads: 1 };
  }

  /** The first of the doubted reads, once they held; nothing otherwise. */
  take(): readonly PduCell[] {
    const cells = this.#held?.cells ?? [];
    this.#held = null;
    return cells;
  }

  #believe(cells: readonly PduCell[]): void {
    for (const quantity of QUANTITIES) {
      const values = valuesOf(cells, quantity);
      if (values.some((value) => value > 0)) this.#live.add(quantity);
      else if (values.length > 0) this.#live.delete(quantity);
    }
  }
}

function isZero(cells: readonly PduCell[], quantity: string): boolean {
  const values = valuesOf(cells, quantity);
  return values.length > 0 && values.every((value) => value === 0);
}

function valuesOf(cells: readonly PduCell[], quantity: string): number[] {
  return cells.flatMap(({ field, value }) => (field === quantity && typeof value === 'number' ? [value] : []));
}
