// Speed gate: holds back "slower than usual" of a job that is as uneven as that, or is only starting, saving or evaluating.

import type { DetectorEdge, DetectorSpec } from '../native.ts';
import { type Episode, PauseRhythm } from './pause-rhythm.ts';
import type { PauseReason } from './text/job/pause-line.ts';

/** Steps whose spread counts as usual. */
const KEPT_STEPS = 64;
/** Fewer say nothing about a spread. */
const LEAST_STEPS = 8;
/** How many robust standard deviations off is no chance any more: under 1 in 10,000 for one step, and it takes two. */
const DEVIATIONS = 4;
/** The median absolute deviation of normal noise is this share of its standard deviation, inverted. */
const MAD_TO_SIGMA = 1.4826;
const MAX_SERIES = 512;
/** How many steps before or after a run of slow steps a line may stand that says why. */
const NEAR_STEPS = 2;
/** Lines about pauses that come after fewer steps than this, so many times in a row, are no sign of one. */
const LEAST_APART = 4;
const ALL_THE_TIME = 3;
/** Slow steps for longer than this are none of a pause, whatever the log says at their end. */
const LONGEST_PAUSE_MS = 900_000;
/** Slow steps that an announcement alone explains, where the log does not tell the end. */
const ANNOUNCED_STEPS = 30;
/** What is told that pauses the job in the next steps: the one that waits for it, and the one that follows. */
const PAUSED_STEPS = 2;

interface Step {
  readonly timeMs: number;
  readonly value: number;
  /** Known to be slow for a reason: compiling, warming up, saving. */
  readonly unusual: boolean;
}

interface Held {
  readonly onset: DetectorEdge;
  confirmed: DetectorEdge | null;
  beyond: number;
  /** Steps that such a pause may take, where one was due; else null. */
  readonly due: number | null;
}

interface Speed {
  /** Usual steps, oldest first; nothing is added while something is wrong. */
  readonly steps: Step[];
  previousMs: number;
  unusual: number;
  /** The onset that is held back, with the steps in a row that would have been one. */
  held: Held | null;
  /** An onset was let through: what is wrong now must not become usual. */
  wrong: boolean;
  /** Steps so far. */
  count: number;
  /** The run of slow steps that lasts: its first step, and when the one before it was. */
  slow: { readonly start: number; readonly fromMs: number; marks: number } | null;
  /** The last one that was told, where nothing explained it yet. */
  told: Pause | null;
  /** The last line that says why steps are late; `begun`: that of its end is still to come. */
  mark: { readonly why: PauseReason; readonly step: number; readonly begun: boolean } | null;
  /** How many of them in a row came with steps as usual and close together. */
  close: number;
  rhythm: PauseRhythm;
}

/** Why a run of slow steps that is over was nothing wrong. */
export interface Pause {
  readonly key: string;
  readonly why: PauseReason | 'rhythm';
  readonly steps: number;
  /** From the last usual step before it to the first one after it, epoch ms. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Number of its last step. */
  readonly end: number;
}

export type DropSpec = Extract<DetectorSpec, { readonly type: 'drop' }>;

/** What passes, and how uneven the series usually is: one robust standard deviation, null where too little is known. */
export interface Passed {
  readonly edge: DetectorEdge;
  readonly spread: number | null;
}

/**
 * Stands behind the native drop detector of a job's speed, which knows the median and freezes it. Fed with the same
 * samples; it delays an onset until two usual steps in a row are beyond both the detector's ratio and the usual spread,
 * or until a pause that was due has taken longer than it ever did. What was told and turns out to have been a pause when
 * it is over is in `pauses`.
 */
export class SpeedGate {
  readonly #spec: DropSpec;
  #pauses: Pause[] = [];
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
    if (speed === null) return;
    const { mark, slow, told } = speed;
    const apart = mark === null ? LEAST_APART : speed.count - mark.step;
    speed.mark = { why, step: speed.count, begun: !ends };
    if (apart >= LEAST_APART) speed.close = 0;
    else if (apart > 0 && slow === null) speed.close += 1;
    if (speed.close >= ALL_THE_TIME) return;
    speed.unusual = Math.max(speed.unusual, PAUSED_STEPS);
    // Several lines without a step in between, or after one that began it, are about one pause.
    if (slow !== null && apart > 0 && mark?.begun !== true) slow.marks += 1;
    if (told === null || speed.count - told.end > NEAR_STEPS) return;
    this.#pauses.push({ ...told, why });
    speed.told = null;
  }

  /** The job starts anew: what was learned of its pauses is void. */
  restart(key: string): void {
    const speed = this.#series.get(key);
    if (speed !== undefined) Object.assign(speed, { rhythm: new PauseRhythm(), mark: null, told: null });
  }

  /** Nothing of what was learned holds any more. */
  forget(key: string): void {
    this.#series.delete(key);
  }

  /** Pauses found since the last call. */
  takePauses(): Pause[] {
    return this.#pauses.splice(0);
  }

  /** Takes a sample; the held onset where this sample confirms it. */
  sample(key: string, timeMs: number, value: number): Passed | null {
    const speed = this.#of(key);
    if (speed === null) return null;
    const step = { timeMs, value, unusual: speed.unusual > 0 };
    speed.unusual = Math.max(0, speed.unusual - 1);
    const { previousMs } = speed;
    speed.previousMs = timeMs;
    speed.count += 1;
    const { held } = speed;
    if (held === null) {
      if (!speed.wrong) keep(speed.steps, step);
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
    if (step.unusual || !this.#isBeyond(value, held.onset.reference, spread)) {
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
      const told = speed.held === null;
      speed.held = null;
      speed.wrong = false;
      this.#over(speed, edge, told);
      return told ? { edge, spread: spreadOf(speed.steps) } : null;
    }
    const { dwellSamples } = this.#spec;
    const start = speed.count - dwellSamples + 1;
    const marks = speed.mark !== null && speed.mark.step >= start - NEAR_STEPS ? 1 : 0;
    speed.slow = { start, fromMs: edge.previousMs, marks };
    // The samples that made the onset are no part of what is usual.
    const made = speed.steps.splice(-dwellSamples);
    const spread = spreadOf(speed.steps);
    const beyond = !made.some(({ unusual }) => unusual) && this.#isBeyond(edge.value, edge.reference, spread);
    const announced = speed.mark?.begun === true && speed.mark.step >= start - NEAR_STEPS;
    const due = speed.rhythm.due(start, edge.extreme / edge.reference, announced);
    if (!beyond || due !== null) {
      speed.held = { onset: edge, confirmed: null, beyond: due === null ? 0 : dwellSamples, due };
      if (!beyond) speed.steps.push(...made);
      return null;
    }
    speed.wrong = true;
    return { edge, spread };
  }

  /** A run of slow steps is over: learns from it, and finds out whether it was a pause. */
  #over(speed: Speed, edge: DetectorEdge, told: boolean): void {
    const { slow, mark } = speed;
    speed.slow = null;
    if (slow === null) return;
    // The step that ended it is counted already.
    const end = speed.count - 1;
    const steps = end - slow.start + 1;
    // One line at its end, or at its beginning. A slowdown that several of them fell into is none of theirs.
    const heard = mark !== null && slow.marks === 1 && speed.close < ALL_THE_TIME;
    const atStart = heard && mark.step <= slow.start + NEAR_STEPS;
    const short = atStart && steps <= (mark.begun ? ANNOUNCED_STEPS : LEAST_APART);
    const near = heard && (end - mark.step <= NEAR_STEPS || short);
    const marked = near && edge.timeMs - slow.fromMs <= LONGEST_PAUSE_MS;
    const value = edge.extreme / edge.reference;
    const episode: Episode = { start: slow.start, steps, value, explained: marked };
    const why = marked ? (mark?.why ?? null) : speed.rhythm.repeats(episode) ? 'rhythm' : null;
    speed.rhythm.add(episode);
    const pause = { key: edge.key, steps, fromMs: slow.fromMs, toMs: edge.timeMs, end };
    if (told && why !== null) this.#pauses.push({ ...pause, why });
    speed.told = told && why === null ? { ...pause, why: 'rhythm' } : null;
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
      steps: [],
      previousMs: Number.NaN,
      unusual: 0,
      held: null,
      wrong: false,
      count: 0,
      slow: null,
      told: null,
      mark: null,
      close: 0,
      rhythm: new PauseRhythm(),
    };
    this.#series.set(key, fresh);
    return fresh;
  }
}

function keep(steps: Step[], step: Step): void {
  steps.push(step);
  if (steps.length > KEPT_STEPS) steps.shift();
}

/** Robust standard deviation of the usual steps; null of too few. */
function spreadOf(steps: readonly Step[]): number | null {
  const values = steps.filter(({ unusual }) => !unusual).map(({ value }) => value);
  if (values.length < LEAST_STEPS) return null;
  const middle = median(values);
  return MAD_TO_SIGMA * median(values.map((value) => Math.abs(value - middle)));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
