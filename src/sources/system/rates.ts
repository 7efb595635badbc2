// Counters become rates: growth per second since the last reading, and nothing where there is no honest answer.

const MAX_COUNTERS = 1024;

export class Rates {
  readonly #last = new Map<string, { value: number; timeMs: number }>();

  /** Growth per second; null at the first reading, after a reset (the counter went back), and where `value` is null. */
  perSecond(key: string, value: number | null, timeMs: number): number | null {
    if (value === null) {
      this.#last.delete(key);
      return null;
    }
    const last = this.#last.get(key);
    // Devices that are gone leave their counters behind: starting over costs one reading.
    if (last === undefined && this.#last.size >= MAX_COUNTERS) this.#last.clear();
    this.#last.set(key, { value, timeMs });
    if (last === undefined || timeMs <= last.timeMs || value < last.value) return null;
    return ((value - last.value) * 1000) / (timeMs - last.timeMs);
  }
}
