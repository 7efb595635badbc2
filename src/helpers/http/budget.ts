// Budget: what requests may hold at once and take in a second, over all connections, so that senders cannot take the host's memory or CPU, nor one of them all of it.

import { Shares } from './shares.ts';

const RETRY_MS = 1000;
/** Time to send a whole request in, before it makes room for others: of those that come in a crowd, the last have to wait. */
const MOMENT_MS = 100;
/** Of one CPU, for the requests of one sender, and how far it may be ahead of that. */
const CPU_SHARE = 0.25;
const CPU_AHEAD_MS = 1000;
const MOST_WAITING = 1024;

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
  /** The half of the tokens that is only for those who took no more than their share. */
  readonly #shares: Shares;
  /** Sender → when the CPU that its requests took is paid for by its share of time. */
  readonly #cpu = new Map<string, number>();
  /** Bytes that may be read at once: filled by time, at most those of a second or of one full request. */
  #tokens: number;
  #at: number;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#tokens = this.#most;
    this.#at = this.#now();
    this.#shares = new Shares(options.bytesPerSecond, this.#most / 2, this.#at);
  }

  get held(): number {
    return this.#held;
  }

  /** `cut` is called where the request has to make room: it is to be refused, and holds nothing any more. */
  holding(cut: () => void): Holding {
    const holding = new Holding(this, cut, this.#now(), () => this.#unfinished.delete(holding));
    this.#unfinished.add(holding);
    return holding;
  }

  /** Throws `Busy`. `by`: who is to hold them. */
  hold(bytes: number, by: Holding): void {
    const { mostBytes } = this.#options;
    if (this.#held + bytes > mostBytes) this.#makeRoom(bytes, by);
    if (this.#held + bytes > mostBytes)
      throw new Busy('too many requests at once. Send it again a moment later', RETRY_MS);
    this.#held += bytes;
  }

  /** Of those that are still being sent the oldest goes first: of the sender that holds most; of one beyond its share, however new, for one within. */
  #makeRoom(bytes: number, by: Holding): void {
    const { mostBytes } = this.#options;
    const now = this.#now();
    const bySender = new Map<string, number>([[by.sender, 0]]);
    for (const { sender, bytes: held } of this.#unfinished) bySender.set(sender, (bySender.get(sender) ?? 0) + held);
    const share = mostBytes / (bySender.size + 1);
    const isWithin = (bySender.get(by.sender) ?? 0) + bytes <= share;
    const senders = [...bySender].sort(([, a], [, b]) => b - a);
    for (const [sender, held] of senders) {
      const canBeNew = isWithin && sender !== by.sender && held > share;
      for (const slow of this.#unfinished) {
        if (this.#held + bytes <= mostBytes || (!canBeNew && now - slow.sinceMs < MOMENT_MS)) break;
        if (slow.sender === sender && slow !== by && slow.bytes > 0) slow.cut();
      }
    }
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }

  /**
   * Called before `bytes` are inflated or decoded; throws `Busy`. Half of what may be taken at once is left to senders that took no
   * more than their share; null: all are one.
   */
  spend(bytes: number, sender: string | null = null): void {
    this.ask(bytes, sender);
    this.#pay(bytes, sender);
  }

  /** Throws `Busy` where requests of this sender took more CPU than its share. */
  askForCpu(sender: string): void {
    const waitsMs = (this.#cpu.get(sender) ?? 0) - this.#now() - CPU_AHEAD_MS;
    if (waitsMs > 0)
      throw new Busy('requests of this sender took too much CPU. Send it again later', Math.max(RETRY_MS, waitsMs));
  }

  /** Throws `Busy` where they could not be spent now. */
  ask(bytes: number, sender: string | null): void {
    this.#fill();
    const { bytesPerSecond } = this.#options;
    const isWithin = sender === null || this.#shares.isWithin(sender, this.#at);
    const tokens = isWithin ? this.#tokens : this.#tokens - this.#most / 2;
    if (bytes <= tokens) return;
    const waitMs = Math.ceil(((bytes - tokens) / bytesPerSecond) * 1000);
    const whose = isWithin ? 'from all senders together' : 'from this sender, beyond its share';
    const text = `more than ${bytesPerSecond} bytes a second come ${whose}. Sample, or send fewer signals`;
    throw new Busy(text, Math.max(RETRY_MS, waitMs));
  }

  /** Of work that is done and whose size was not known before, such as inflating; less than nothing gives back what was spent too much. */
  owe(bytes: number, sender: string | null = null): void {
    this.#fill();
    this.#pay(bytes, sender);
  }

  /** CPU that a request took: some are dear whatever their size. */
  worked(cpuMs: number, sender: string): void {
    const now = this.#now();
    this.#cpu.set(sender, Math.max(now, this.#cpu.get(sender) ?? 0) + cpuMs / CPU_SHARE);
    for (const [one, paidMs] of this.#cpu) if (paidMs <= now || this.#cpu.size > MOST_WAITING) this.#cpu.delete(one);
  }

  #pay(bytes: number, sender: string | null): void {
    this.#tokens -= bytes;
    if (sender !== null) this.#shares.take(sender, bytes);
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
  /** Who sends it; empty where all are one. */
  sender = '';
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
