// Event-time ticker: how often event time moves on its own — quickly while something is open or may still change, hardly ever otherwise.

/** While something is open or may still be joined by late evidence. */
const ADVANCE_MS = 250;
/** While nothing is: a job that falls silent is noticed by the clock alone. */
const WAIT_MS = 5_000;

export interface EventTimeTickerOptions {
  readonly now: () => number;
  /** How long after the last news things may still change, ms. */
  readonly settleMs: () => number;
  /** Whether silence itself can be news, so that time has to pass even when nothing happens. */
  readonly silenceMatters: () => boolean;
  readonly advance: (nowMs: number) => void;
}

export class EventTimeTicker {
  readonly #options: EventTimeTickerOptions;
  #timer: NodeJS.Timeout | null = null;
  #slowly = false;
  #stopped = false;
  #activeUntilMs = 0;

  constructor(options: EventTimeTickerOptions) {
    this.#options = options;
  }

  /** Something happened: time passes quickly until all has settled again. */
  news(): void {
    this.#activeUntilMs = this.#options.now() + this.#options.settleMs() + 2 * ADVANCE_MS;
    if (this.#stopped || (this.#timer !== null && !this.#slowly)) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#next(ADVANCE_MS);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #next(delayMs: number): void {
    this.#slowly = delayMs > ADVANCE_MS;
    this.#timer = setTimeout(() => {
      const nowMs = this.#options.now();
      this.#timer = null;
      this.#options.advance(nowMs);
      // What the advance led to may have set the timer already.
      if (this.#timer !== null || this.#stopped) return;
      if (nowMs < this.#activeUntilMs) this.#next(ADVANCE_MS);
      else if (this.#options.silenceMatters()) this.#next(WAIT_MS);
    }, delayMs);
  }
}
