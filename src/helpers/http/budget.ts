// Budget: what requests may hold at once and take in a second, over all connections, so that senders cannot take the host's memory or CPU.

const RETRY_MS = 1000;
/** Time to send a whole request in, before it makes room for others: of those that come in a crowd, the last have to wait. */
const MOMENT_MS = 100;

/** It fits later: the message says why, `retryMs` when. */
export class Busy extends Error {
  readonly retryMs: number;

  constructor(message: string, retryMs: number) {
    super(message);
    this.retryMs = retryMs;
  }
}

export interface BudgetOptions {
  /** Bytes of requests that are being received or read, inflated ones included. */
  readonly mostBytes: number;
  readonly bytesPerSecond: number;
  /** Monotonic ms. */
  readonly now?: () => number;
}

export class Budget {
  readonly #options: BudgetOptions;
  readonly #now: () => number;
  #held = 0;
  /** Requests that are not whole, the oldest first. */
  readonly #unfinished = new Set<Holding>();
  /** Bytes that may be read at once: filled by time, at most those of a second or of one full request. */
  #tokens: number;
  #at: number;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#tokens = this.#most;
    this.#at = this.#now();
  }

  get held(): number {
    return this.#held;
  }

  /** `cut` ends the request: who is slow makes room for who comes next. */
  holding(cut: () => void): Holding {
    const holding = new Holding(this, cut, this.#now(), () => this.#unfinished.delete(holding));
    this.#unfinished.add(holding);
    return holding;
  }

  /** Throws `Busy`. `by`: who is to hold them. */
  hold(bytes: number, by: Holding): void {
    const { mostBytes } = this.#options;
    const now = this.#now();
    for (const slow of this.#unfinished) {
      if (this.#held + bytes <= mostBytes || now - slow.sinceMs < MOMENT_MS) break;
      if (slow !== by && slow.bytes > 0) slow.cut();
    }
    if (this.#held + bytes > mostBytes)
      throw new Busy('too many requests at once. Send it again a moment later', RETRY_MS);
    this.#held += bytes;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }

  /** Called before `bytes` are inflated or decoded; throws `Busy`. */
  spend(bytes: number): void {
    this.#fill();
    const { bytesPerSecond } = this.#options;
    if (bytes > this.#tokens) {
      const waitMs = Math.ceil(((bytes - this.#tokens) / bytesPerSecond) * 1000);
      const text = `more than ${bytesPerSecond} bytes a second come from all senders together. Sample, or send fewer signals`;
      throw new Busy(text, Math.max(RETRY_MS, waitMs));
    }
    this.#tokens -= bytes;
  }

  /** Of work that is done and whose size was not known before, such as inflating: nothing more is taken until it is paid. */
  owe(bytes: number): void {
    this.#fill();
    this.#tokens -= bytes;
  }

  #fill(): void {
    const now = this.#now();
    const more = ((now - this.#at) / 1000) * this.#options.bytesPerSecond;
    this.#tokens = Math.min(this.#most, this.#tokens + more);
    this.#at = now;
  }

  get #most(): number {
    return Math.max(this.#options.bytesPerSecond, this.#options.mostBytes);
  }
}

/** What one request holds. */
export class Holding {
  readonly sinceMs: number;
  readonly #budget: Budget;
  readonly #cut: () => void;
  readonly #onWhole: () => void;
  #bytes = 0;

  constructor(budget: Budget, cut: () => void, sinceMs: number, onWhole: () => void) {
    this.sinceMs = sinceMs;
    this.#budget = budget;
    this.#cut = cut;
    this.#onWhole = onWhole;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Throws `Busy`. */
  add(bytes: number): void {
    this.#budget.hold(bytes, this);
    this.#bytes += bytes;
  }

  giveBack(bytes: number): void {
    this.#budget.release(bytes);
    this.#bytes -= bytes;
  }

  /** All of it came: from here on it makes room for no other. */
  whole(): void {
    this.#onWhole();
  }

  /** May be called again. */
  release(): void {
    this.#onWhole();
    this.giveBack(this.#bytes);
  }

  cut(): void {
    this.release();
    this.#cut();
  }
}
