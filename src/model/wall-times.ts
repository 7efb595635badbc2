// WallTimes: brings stamps of the host's wall clock to the steady clock, over the steps that it took since the start.

import type { Interval } from './time.ts';

/** Stamps of whole seconds are up to one earlier than what they stamp. */
const WHOLE_SECOND_MS = 1_000;
/** What was written is read within this, unless nothing else can be. */
const READ_WITHIN_MS = 10_000;
/** Steps kept; of a stamp older than the oldest the first known offset is taken. */
const KEPT = 16;

interface Regime {
  /** How far the wall clock was ahead of the steady one. */
  readonly aheadMs: number;
  /** When it began: the step before it was somewhere in there. */
  readonly from: Interval;
}

const START: Regime = {
  aheadMs: 0,
  from: { earliestMs: Number.NEGATIVE_INFINITY, latestMs: Number.NEGATIVE_INFINITY },
};

export interface SteadyTime {
  readonly timeMs: number;
  /** Wider than the time alone where the stamp fits before a step and after it. */
  readonly interval: Interval;
}

/** All times are epoch ms; of the steady clock where a name does not say "wall". */
export class WallTimes {
  #regimes: readonly Regime[] = [START];

  /** How far the wall clock is ahead of the steady one now. */
  get aheadMs(): number {
    return this.#regimes.at(-1)?.aheadMs ?? 0;
  }

  /** The wall clock was set by this much (a suspend moves it too: the steady clock stops meanwhile). */
  stepped(byMs: number, when: Interval): void {
    if (!Number.isFinite(byMs) || byMs === 0) return;
    this.#regimes = [...this.#regimes, { aheadMs: this.aheadMs + byMs, from: when }].slice(-KEPT);
  }

  /**
   * When on the steady clock a wall clock showed `wallMs`, reported at `observedMs`. A clock that was set back showed some
   * times twice: then the one nearer to the report is taken, and the interval holds both unless one was reported far too late.
   */
  steady(wallMs: number, observedMs: number): SteadyTime {
    // Nearly always the clock was never set.
    if (this.#regimes.length === 1) return { timeMs: wallMs, interval: { earliestMs: wallMs, latestMs: wallMs } };
    const fitting = this.#regimes.flatMap((regime, at) => {
      const timeMs = wallMs - regime.aheadMs;
      const until = this.#regimes[at + 1]?.from.latestMs ?? observedMs + WHOLE_SECOND_MS;
      return timeMs >= regime.from.earliestMs - WHOLE_SECOND_MS && timeMs <= until ? [timeMs] : [];
    });
    const nearest = fitting.toSorted((a, b) => Math.abs(observedMs - a) - Math.abs(observedMs - b))[0];
    const timeMs = nearest ?? wallMs - this.aheadMs;
    const possible = fitting.filter((each) => each === nearest || Math.abs(observedMs - each) <= READ_WITHIN_MS);
    return { timeMs, interval: { earliestMs: Math.min(timeMs, ...possible), latestMs: Math.max(timeMs, ...possible) } };
  }
}
