// Load steps: what a job's GPUs draw together, once a second, and when that goes up or down by much, how fast, and in which rhythm.
// Training swings with every step of its own; of a swing that continues one event is made, with its period.

import { median } from '../../helpers/median.ts';

/** A step is this share of the larger of both levels, and no less than this. W. */
const SHARE = 0.2;
const LEAST_W = 300;
/** Seconds that a level must hold. */
const HOLDS = 5;
/** Seconds that are looked back for a rhythm, and turns in them that make one. */
const LOOK_BACK = 90;
const LEAST_TURNS = 6;
/** The same rhythm is reported again after this. ms */
const AGAIN_MS = 1_800_000;

export interface LoadStep {
  /** Between the last second at the old level and the first at the new one. */
  readonly earliestMs: number;
  readonly latestMs: number;
  /** W; of a rhythm its floor and its ceiling. */
  readonly before: number;
  readonly after: number;
  /** From a tenth to nine tenths of the way, s. */
  readonly rampS: number;
  /** Of a swing that continues, s; null for a single step. */
  readonly periodS: number | null;
}

interface Second {
  readonly timeMs: number;
  readonly watts: number;
}

export class LoadSteps {
  readonly #seconds: Second[] = [];
  /** The level that is left, W; null until one was settled on. */
  #level: number | null = null;
  #rhythmMs = Number.NEGATIVE_INFINITY;

  /** One second's mean. */
  take(timeMs: number, watts: number): LoadStep | null {
    const last = this.#seconds.at(-1);
    // A gap: what was before it says nothing of a step.
    if (last !== undefined && timeMs - last.timeMs > HOLDS * 1000) this.#begin();
    this.#seconds.push({ timeMs, watts });
    if (this.#seconds.length > LOOK_BACK) this.#seconds.shift();
    if (this.#seconds.length < HOLDS + 1) return null;
    this.#level ??= median(this.#last(HOLDS)) ?? watts;
    const rhythm = this.#rhythm(timeMs);
    if (rhythm !== null) return rhythm === 'known' ? null : rhythm;
    return this.#step(this.#level);
  }

  #begin(): void {
    this.#seconds.length = 0;
    this.#level = null;
  }

  #step(level: number): LoadStep | null {
    const now = this.#last(HOLDS);
    const [low, high] = [Math.min(...now), Math.max(...now)];
    const after = median(now) ?? level;
    const size = Math.abs(after - level);
    const least = Math.max(LEAST_W, SHARE * Math.max(after, level));
    // Not there yet, or still on its way: a level holds once it moves by less than half of a step.
    if (high - low > least / 2) return null;
    if (size < least) {
      this.#level = after;
      return null;
    }
    this.#level = after;
    return this.#shape(level, after);
  }

  #shape(before: number, after: number): LoadStep {
    const share = ({ watts }: Second): number => (watts - before) / (after - before);
    const list = this.#seconds;
    const lastOld = list.findLastIndex((second) => share(second) <= 0.1);
    const firstNew = list.findIndex((second, i) => i > lastOld && share(second) >= 0.9);
    const from = list[Math.max(0, lastOld)] ?? { timeMs: 0, watts: 0 };
    const to = list[firstNew === -1 ? list.length - 1 : firstNew] ?? from;
    return {
      earliestMs: from.timeMs,
      latestMs: (list[lastOld + 1] ?? to).timeMs,
      before,
      after,
      rampS: Math.round((to.timeMs - from.timeMs) / 100) / 10,
      periodS: null,
    };
  }

  /** Turns through the middle between floor and ceiling; 'known' while one that was reported continues. */
  #rhythm(nowMs: number): LoadStep | 'known' | null {
    if (this.#seconds.length < LOOK_BACK / 2) return null;
    const sorted = this.#seconds.map(({ watts }) => watts).toSorted((a, b) => a - b);
    const floor = sorted[Math.floor(sorted.length * 0.1)] ?? 0;
    const ceiling = sorted[Math.floor(sorted.length * 0.9)] ?? 0;
    if (ceiling - floor < Math.max(LEAST_W, SHARE * ceiling)) return null;
    const rises = this.#rises(floor + (ceiling - floor) / 4, ceiling - (ceiling - floor) / 4);
    if (rises.length < LEAST_TURNS) return null;
    this.#level = (floor + ceiling) / 2;
    const again = nowMs - this.#rhythmMs > AGAIN_MS;
    if (!again) return 'known';
    this.#rhythmMs = nowMs;
    const gaps = rises.slice(1).map((rise, i) => rise - (rises[i] ?? rise));
    const [first = nowMs] = rises;
    const period = Math.round((median(gaps) ?? 0) / 100) / 10;
    return { earliestMs: first - 1000, latestMs: first, before: floor, after: ceiling, rampS: 1, periodS: period };
  }

  #rises(low: number, high: number): number[] {
    const rises: number[] = [];
    let below = false;
    for (const { timeMs, watts } of this.#seconds) {
      if (watts <= low) below = true;
      else if (watts >= high && below) {
        rises.push(timeMs);
        below = false;
      }
    }
    return rises;
  }

  #last(seconds: number): number[] {
    return this.#seconds.slice(-seconds).map(({ watts }) => watts);
  }
}
