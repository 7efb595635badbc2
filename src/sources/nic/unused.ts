// Unused: whether a card has carried next to nothing for so long that no program can have felt its link. Pure.

/** Neighbour discovery, LLDP and the like; a step of training, a file or a log-in is far more. */
const NEXT_TO_NOTHING_BYTES_PER_S = 10_000;
/** A job is quiet for moments between two steps, hardly for minutes. */
const LONG_MS = 60_000;

export class Unused {
  #last: { readonly timeMs: number; readonly bytes: number } | null = null;
  #sinceMs: number | null = null;

  /** `bytes`: all that it received and sent so far; null where that is not known. */
  read(timeMs: number, bytes: number | null): void {
    const before = this.#last;
    this.#last = bytes === null ? null : { timeMs, bytes };
    if (before === null || bytes === null) {
      this.#sinceMs = null;
      return;
    }
    const moved = bytes - before.bytes;
    const seconds = Math.max(1, (timeMs - before.timeMs) / 1000);
    // A counter that started again says nothing of what was before.
    if (moved < 0 || moved > NEXT_TO_NOTHING_BYTES_PER_S * seconds) this.#sinceMs = null;
    else this.#sinceMs ??= before.timeMs;
  }

  /** As of the last reading. */
  get is(): boolean {
    return this.#last !== null && this.#sinceMs !== null && this.#last.timeMs - this.#sinceMs >= LONG_MS;
  }
}
