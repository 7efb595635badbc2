// Speed gate: holds back "slower than usual" of a job that is as uneven as that, or is only starting, saving or evaluating.

import { upperMedian } from '../../helpers/median.ts';
import type { DetectorEdge, DetectorSpec } from '../../native.ts';
import type { PauseReason } from '../text/job/pause-line.ts';
import { type Pause, SlowRuns } from './slow-runs.ts';

/** Steps whose spread counts as usual. */
const KEPT_STEPS = 64;
/** Fewer say nothing about a spread. */
const LEAST_STEPS = 8;
/** How many robust standard deviations off is not chance any more: under 1 in 10,000 for one step, and it takes two. */
const DEVIATIONS = 4;
/** The median absolute deviation of normal noise is this share of its standard deviation, inverted. */
const MAD_TO_SIGMA = 1.4826;
const MAX_SERIES = 512;
/** Events of what pauses the job in the next steps: the one that waits for it, and the one that follows. */
const PAUSED_STEPS = 2;

/** Steps, oldest first: lists of numbers, as an object for each would outlive the young generation, and then be garbage. */
interface Steps {
  readonly values: number[];
  /** 1 where it is known to be slow for a reason: compiling, warming up, saving. */
  readonly unusual: number[];
}

interface Held {
  readonly onset: DetectorEdge;
  confirmed: DetectorEdge | null;
  beyond: number;
  /** Steps that such a pause may take, where one was due; else null. */
  readonly due: number | null;
}

interface Speed {
  /** Usual ones; nothing is added while something is wrong. */
  readonly steps: Steps;
  previousMs: number;
  unusual: number;
  /** The onset that is held back, with the steps in a row that would have been one. */
  held: Held | null;
  /** An onset was let through: what is wrong now must not become usual. */
  wrong: boolean;
  /** Steps so far, and the last of them. */
  count: number;
  last: number;
  /** Runs of slow steps and what the log said of them. */
  readonly runs: SlowRuns;
}

/** A pause, and the series that showed it. */
export interface PauseOf extends Pause {
  readonly key: string;
}

export type DropSpec = Extract<DetectorSpec, { readonly type: 'drop' }>;

/** What passes, and how uneven the series usually is: one robust standard deviation, null where too little is known. */
export interface Passed {
  readonly edge: DetectorEdge;
  readonly spread: number | null;
}

/**
 * Follows the native drop detector of a job's speed, which knows the median and freezes it. Fed with the same
 * samples; it delays an onset until two usual steps in a row are beyond both the detector's ratio and the usual spread,
 * or until a pause that was due has taken longer than it ever did. What was reported and turns out to have been a pause when
 * it is over is in `pauses`.
 */
export class SpeedGate {
  readonly #spec: DropSpec;
  #pauses: PauseOf[] = [];
  readonly #series = new Map<string, Speed>();

  constructor(spec: DropSpec) {
    this.#spec = spec;
  }

  /** The next steps of a series are slow for a reason that is known. */
  expect(key: string, steps: number): void {
    const speed = this.#of(key);
    if (speed !== null) speed.unusual = Math.max(speed.unusual, steps);
  }

  /** A line says why steps are late: those just before it (`ends`), or those to come. */
  mark(key: string, why: PauseReason, ends: boolean): void {
    const speed = this.#of(key);
    const heard = speed?.runs.line(why, ends, speed.count) ?? null;
    if (speed === null || heard === null) return;
    speed.unusual = Math.max(speed.unusual, PAUSED_STEPS);
    if (heard.pause !== null) this.#pauses.push({ ...heard.pause, key });
  }

  /** The job starts again: what was learned of its pauses is void. */
  restart(key: string): void {
    this.#series.get(key)?.runs.restart();
  }

  /** Nothing of what was learned holds any more. */
  forget(key: string): void {
    this.#series.delete(key);
  }

  /** Whether the last step, if later than that, was slower than usual, as far as is known; null where too little is known. */
  slow(key: string, afterMs: number): boolean | null {
    const speed = this.#series.get(key);
    if (speed === undefined || !(speed.previousMs > afterMs) || speed.steps.values.length < this.#spec.minSamples)
      return null;
    const usual = upperMedian(speed.steps.values) ?? 0;
    return this.#isBeyond(speed.last, usual, spreadOf(speed.steps));
  }

  get hasPauses(): boolean {
    return this.#pauses.length > 0;
  }

  /** Pauses found since the last call. */
  takePauses(): PauseOf[] {
    return this.#pauses.splice(0);
  }

  /** Takes a sample; the held onset where this sample confirms it. */
  sample(key: string, timeMs: number, value: number): Passed | null {
    const speed = this.#of(key);
    if (speed === null) return null;
    const unusual = speed.unusual > 0;
    speed.unusual = Math.max(0, speed.unusual - 1);
    const { previousMs } = speed;
    speed.previousMs = timeMs;
    speed.count += 1;
    speed.last = value;
    const { held } = speed;
    if (held === null) {
      if (!speed.wrong) keep(speed.steps, value, unusual);
      return null;
    }
    const spread = spreadOf(speed.steps);
    if (held.due !== null) {
      held.beyond += 1;
      if (held.beyond <= held.due) return null;
      speed.held = null;
      speed.wrong = true;
      return { edge: { ...held.onset, timeMs, value }, spread };
    }
    if (unusual || !this.#isBeyond(value, held.onset.reference, spread)) {
      held.beyond = 0;
      return null;
    }
    held.beyond += 1;
    if (held.beyond === 1) held.confirmed = { ...held.onset, timeMs, previousMs, value, extreme: value };
    if (held.beyond < this.#spec.dwellSamples || held.confirmed === null) return null;
    speed.held = null;
    speed.wrong = true;
    return { edge: held.confirmed, spread };
  }

  /** The native detector's edge where it passes; null where it is held back, or is the end of one that was. */
  edge(edge: DetectorEdge): Passed | null {
    const speed = this.#series.get(edge.key);
    if (speed === undefined) return { edge, spread: null };
    if (edge.edge === 'clear') {
      const reported = speed.held === null;
      speed.held = null;
      speed.wrong = false;
      // The step that ended it is counted already.
      const pause = speed.runs.end(speed.count - 1, edge.timeMs, edge.extreme / edge.reference, reported);
      if (pause !== null) this.#pauses.push({ ...pause, key: edge.key });
      return reported ? { edge, spread: spreadOf(speed.steps) } : null;
    }
    const { dwellSamples } = this.#spec;
    // The samples that made the onset are no part of what is usual.
    const made = {
      values: speed.steps.values.splice(-dwellSamples),
      unusual: speed.steps.unusual.splice(-dwellSamples),
    };
    const spread = spreadOf(speed.steps);
    const beyond = !made.unusual.includes(1) && this.#isBeyond(edge.value, edge.reference, spread);
    const start = speed.count - dwellSamples + 1;
    const due = speed.runs.begin(start, edge.previousMs, edge.extreme / edge.reference);
    if (!beyond || due !== null) {
      speed.held = { onset: edge, confirmed: null, beyond: due === null ? 0 : dwellSamples, due };
      if (!beyond) {
        speed.steps.values.push(...made.values);
        speed.steps.unusual.push(...made.unusual);
      }
      return null;
    }
    speed.wrong = true;
    return { edge, spread };
  }

  #isBeyond(value: number, median: number, spread: number | null): boolean {
    const off = this.#spec.when === 'above' ? value - median : median - value;
    const limit = Math.abs(this.#spec.ratio - 1) * median;
    return off > limit && off > DEVIATIONS * (spread ?? 0);
  }

  #of(key: string): Speed | null {
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    if (this.#series.size >= MAX_SERIES) return null;
    const fresh: Speed = {
      steps: { values: [], unusual: [] },
      previousMs: Number.NaN,
      unusual: 0,
      held: null,
      wrong: false,
      count: 0,
      last: Number.NaN,
      runs: new SlowRuns(),
    };
    this.#series.set(key, fresh);
    return fresh;
  }
}

function keep({ values, unusual }: Steps, value: number, isUnusual: boolean): void {
  values.push(value);
  unusual.push(isUnusual ? 1 : 0);
  if (values.length <= KEPT_STEPS) return;
  values.shift();
  unusual.shift();
}

/** Robust standard deviation of the usual steps; null of too few. */
function spreadOf(steps: Steps): number | null {
  const values = steps.values.filter((_, i) => steps.unusual[i] !== 1);
  if (values.length < LEAST_STEPS) return null;
  const middle = upperMedian(values) ?? 0;
  return MAD_TO_SIGMA * (upperMedian(values.map((value) => Math.abs(value - middle))) ?? 0);
}
