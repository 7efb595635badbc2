// The one clock of a simulated rack: what happens when, in life and by hand in tests.

import { performance } from 'node:perf_hooks';

export type Cancel = () => void;

export interface ScenarioClock {
  /** Milliseconds since the clock was made. */
  now(): number;
  /** Calls back once at `atMs` of this clock, at once when that has passed. */
  at(atMs: number, callback: () => void): Cancel;
  /** Calls back every `periodMs`, the first time a period from now; a slow callback does not shift the later ones. */
  every(periodMs: number, callback: () => void): Cancel;
  /** No callback comes after this. */
  stop(): void;
}

abstract class BaseClock implements ScenarioClock {
  abstract now(): number;
  abstract at(atMs: number, callback: () => void): Cancel;
  abstract stop(): void;

  every(periodMs: number, callback: () => void): Cancel {
    let due = this.now() + periodMs;
    let cancel = this.at(due, tick.bind(this));
    function tick(this: ScenarioClock): void {
      due = Math.max(due + periodMs, this.now());
      cancel = this.at(due, tick.bind(this));
      callback();
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

  at(atMs: number, callback: () => void): Cancel {
    if (this.#stopped) return () => undefined;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        callback();
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

/** Time passes only by `advance`; callbacks due run in order of their time, then of their making. */
export class ManualClock extends BaseClock {
  #nowMs = 0;
  #next = 0;
  readonly #due = new Map<number, { atMs: number; callback: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  at(atMs: number, callback: () => void): Cancel {
    const id = this.#next++;
    this.#due.set(id, { atMs: Math.max(atMs, this.#nowMs), callback });
    return () => {
      this.#due.delete(id);
    };
  }

  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (;;) {
      let first: [number, { atMs: number; callback: () => void }] | undefined;
      for (const entry of this.#due) {
        if (entry[1].atMs <= untilMs && (first === undefined || entry[1].atMs < first[1].atMs)) first = entry;
      }
      if (first === undefined) break;
      this.#due.delete(first[0]);
      this.#nowMs = first[1].atMs;
      first[1].callback();
    }
    this.#nowMs = untilMs;
  }

  stop(): void {
    this.#due.clear();
  }
}
