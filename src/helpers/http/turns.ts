// Turns: long pieces of work one after the other, as long a pause after each as it took, so that neither timers nor others wait for a crowd; of those who wait, the sender whose work took least time goes first.

/** A pause is never longer. */
const LONGEST_PAUSE_MS = 200;

interface Queue {
  /** The first first. */
  readonly waiting: (() => void)[];
  /** Time that its work took; who comes again begins with what the one had who went last. */
  usedMs: number;
}

export class Turns {
  readonly #queues = new Map<string, Queue>();
  readonly #now: () => number;
  #lastMs = 0;
  #isRunning = false;

  /** `now` in milliseconds, from any start. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Resolves when it is its turn; the work is what follows at once. */
  of(sender: string): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#queues.get(sender) ?? { waiting: [], usedMs: this.#lastMs };
      if (queue.waiting.length === 0) queue.usedMs = Math.max(queue.usedMs, this.#lastMs);
      queue.waiting.push(resolve);
      this.#queues.set(sender, queue);
      if (this.#isRunning) return;
      this.#isRunning = true;
      setImmediate(() => this.#next());
    });
  }

  #next(): void {
    const waiting = [...this.#queues].filter(([, queue]) => queue.waiting.length > 0);
    const [first] = waiting.sort(([, a], [, b]) => a.usedMs - b.usedMs);
    this.#isRunning = first !== undefined;
    if (first === undefined) {
      this.#queues.clear();
      return;
    }
    const [sender, queue] = first;
    this.#lastMs = queue.usedMs;
    // Behind the others who used as much.
    this.#queues.delete(sender);
    this.#queues.set(sender, queue);
    const began = this.#now();
    queue.waiting.shift()?.();
    setImmediate(() => {
      const tookMs = this.#now() - began;
      queue.usedMs += tookMs;
      if (tookMs < 2) this.#next();
      else setTimeout(() => this.#next(), Math.min(tookMs, LONGEST_PAUSE_MS));
    });
  }
}
