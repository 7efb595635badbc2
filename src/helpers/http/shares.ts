// Shares: what each sender took lately, so that one who takes much leaves the others theirs.

/** Whoever took longest ago is forgotten first. */
const MOST_SENDERS = 1024;

export class Shares {
  readonly #bytesPerSecond: number;
  readonly #bytes: number;
  /** Sender → bytes that it took and that have not been paid by time. */
  readonly #taken = new Map<string, number>();
  #at: number;

  /** `bytes`: what is kept for all whose share is not used up. */
  constructor(bytesPerSecond: number, bytes: number, nowMs: number) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#bytes = bytes;
    this.#at = nowMs;
  }

  /** Whether what it took so far is within its share: an equal one for each that sends. */
  isWithin(sender: string, nowMs: number): boolean {
    this.#pay(nowMs);
    const taken = this.#taken.get(sender);
    return taken === undefined || taken <= this.#bytes / this.#taken.size;
  }

  /** Less than nothing gives back. */
  take(sender: string, bytes: number): void {
    const taken = (this.#taken.get(sender) ?? 0) + bytes;
    this.#taken.delete(sender);
    if (taken > 0) this.#taken.set(sender, taken);
    for (const oldest of this.#taken.keys()) {
      if (this.#taken.size <= MOST_SENDERS) break;
      this.#taken.delete(oldest);
    }
  }

  #pay(nowMs: number): void {
    const paid = ((nowMs - this.#at) / 1000) * (this.#bytesPerSecond / Math.max(1, this.#taken.size));
    this.#at = nowMs;
    for (const [sender, taken] of this.#taken) {
      if (taken > paid) this.#taken.set(sender, taken - paid);
      else this.#taken.delete(sender);
    }
  }
}
