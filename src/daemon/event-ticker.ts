// Event-time ticker: how often event time moves on its own — quickly while something is open or may still change, hardly ever otherwise.

/** While something is open or may still be joined by late evidence. */
const ADVANCE_MS = 250;
/** While nothing is: a job that falls silent is noticed by the clock alone. */
const WAIT_MS = 5_000;
/** So much before its time a timer may fire. */
const EARLY_MS = 1;

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
  #firesAtMs = 0;
  #stopped = false;
  #activeUntilMs = 0;

  constructor(options: EventTimeTickerOptions) {
    this.#options = options;
  }

  /** Something happened: time passes quickly until all has settled again. */
  news(): void {
    const nowMs = this.#options.now();
    this.#activeUntilMs = nowMs + this.#options.settleMs() + 2 * ADVANCE_MS;
    this.#fireBy(nowMs + ADVANCE_MS, nowMs);
  }

  /** Time is to reach this one without delay: something waits for it. */
  due(atMs: number): void {
    this.#fireBy(atMs + EARLY_MS, this.#options.now());
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #fireBy(atMs: number, nowMs: number): void {
    if (this.#stopped || (this.#timer !== null && this.#firesAtMs <= atMs)) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#next(Math.max(1, Math.ceil(atMs - nowMs)), nowMs);
  }

  #next(delayMs: number, nowMs: number): void {
    this.#firesAtMs = nowMs + delayMs;
    this.#timer = setTimeout(() => {
      const nowMs = this.#options.now();
      this.#timer = null;
      this.#options.advance(nowMs);
      // What the advance led to may have set the timer already.
      if (this.#timer !== null || this.#stopped) return;
      if (nowMs < this.#activeUntilMs) this.#next(ADVANCE_MS, nowMs);
      else if (this.#options.silenceMatters()) this.#next(WAIT_MS, nowMs);
    }, delayMs);
  }
}
