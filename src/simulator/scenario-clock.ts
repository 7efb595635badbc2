// The one clock of a simulated rack: what happens when, in life and by hand in tests.

import { performance } from 'node:perf_hooks';

export type Cancel = () => void;
/** A promise that it returns is waited for where the clock can wait; no time passes meanwhile. */
export type Callback = () => unknown;

export interface ScenarioClock {
  /** Milliseconds since the clock was made. */
  now(): number;
  /** Calls back once at `atMs` of this clock, at once when that has passed. */
  at(atMs: number, callback: Callback): Cancel;
  /** Calls back every `periodMs`, the first time a period from now; a slow callback does not shift the later ones. */
  every(periodMs: number, callback: Callback): Cancel;
  /** No callback comes after this. */
  stop(): void;
}

abstract class BaseClock implements ScenarioClock {
  abstract now(): number;
  abstract at(atMs: number, callback: Callback): Cancel;
  abstract stop(): void;

  every(periodMs: number, callback: Callback): Cancel {
    let due = this.now() + periodMs;
    let cancel = this.at(due, tick.bind(this));
    function tick(this: ScenarioClock): unknown {
      due = Math.max(due + periodMs, this.now());
      cancel = this.at(due, tick.bind(this));
      return callback();
    }
    return () => cancel();
  }
}

export class RealClock extends BaseClock {
  readonly #startedMs = performance.now();
  readonly #timers = new Set<NodeJS.Timeout>();
  #stopped = false;

  now(): number {
    return performance.now() - this.#startedMs;
  }

  at(atMs: number, callback: Callback): Cancel {
    if (this.#stopped) return () => undefined;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        void callback();
      },
      Math.max(0, atMs - this.now()),
    );
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    };
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}

/** Time passes only by `advance` and `run`; callbacks due run in order of their time, then of their making. */
export class ManualClock extends BaseClock {
  #nowMs = 0;
  #ids = 0;
  readonly #due = new Map<number, { atMs: number; callback: Callback }>();

  now(): number {
    return this.#nowMs;
  }

  at(atMs: number, callback: Callback): Cancel {
    const id = this.#ids++;
    this.#due.set(id, { atMs: Math.max(atMs, this.#nowMs), callback });
    return () => {
      this.#due.delete(id);
    };
  }

  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (let next = this.#takeDue(untilMs); next !== null; next = this.#takeDue(untilMs)) void next();
    this.#nowMs = untilMs;
  }

  /** As `advance`, and waits for what the callbacks have under way before the next one. */
  async run(byMs: number): Promise<void> {
    const untilMs = this.#nowMs + byMs;
    for (let next = this.#takeDue(untilMs); next !== null; next = this.#takeDue(untilMs)) {
      const underWay = next();
      if (underWay instanceof Promise) await underWay;
    }
    this.#nowMs = untilMs;
  }

  /** The first callback due, with the clock put to its time; null when none is. */
  #takeDue(untilMs: number): Callback | null {
    let first: [number, { atMs: number; callback: Callback }] | undefined;
    for (const entry of this.#due) {
      if (entry[1].atMs <= untilMs && (first === undefined || entry[1].atMs < first[1].atMs)) first = entry;
    }
    if (first === undefined) return null;
    this.#due.delete(first[0]);
    this.#nowMs = first[1].atMs;
    return first[1].callback;
  }

  stop(): void {
    this.#due.clear();
  }
}
