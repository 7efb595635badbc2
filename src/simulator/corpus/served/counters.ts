// Counters that grow at once or at a rate, as devices keep them: by name, from zero.

export class Counters {
  readonly #values = new Map<string, number>();
  #rates: ReadonlyMap<string, number> = new Map();
  #atMs = 0;

  /** Grows at once. */
  add(name: string, by: number): void {
    this.#values.set(name, (this.#values.get(name) ?? 0) + by);
  }

  /** What grows by itself from now on, a second. */
  setRates(rates: ReadonlyMap<string, number>, nowMs: number): void {
    this.#pass(nowMs);
    this.#rates = rates;
  }

  /** The value now, whole or not. */
  value(name: string, nowMs: number): number {
    this.#pass(nowMs);
    return this.#values.get(name) ?? 0;
  }

  /** All begin again at zero. */
  reset(): void {
    this.#values.clear();
  }

  #pass(nowMs: number): void {
    const seconds = Math.max(0, nowMs - this.#atMs) / 1000;
    this.#atMs = Math.max(this.#atMs, nowMs);
    for (const [name, rate] of this.#rates) this.add(name, rate * seconds);
  }
}
