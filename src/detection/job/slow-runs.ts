// Slow runs: runs of slow steps of one job and what its log says of pauses, to decide which of them were pauses.

import type { PauseReason } from '../text/job/pause-line.ts';
import { type Episode, PauseRhythm } from './pause-rhythm.ts';

/** How many steps before or after a run of slow steps a line may be that says why. */
const NEAR_STEPS = 2;
/** Lines about pauses that come after fewer steps than this, so many times in a row, are not a sign of one. */
const LEAST_APART = 4;
const ALL_THE_TIME = 3;
/** Slow steps for longer than this are none of a pause, whatever the log says at their end. */
const LONGEST_PAUSE_MS = 900_000;
/** Slow steps that an announcement alone explains, where the log does not report the end. */
const ANNOUNCED_STEPS = 30;

/** Why a run of slow steps that is over was nothing wrong. */
export interface Pause {
  readonly why: PauseReason | 'rhythm';
  readonly steps: number;
  /** From the last usual step before it to the first one after it, epoch ms. */
  readonly fromMs: number;
  readonly toMs: number;
}

interface Line {
  readonly why: PauseReason;
  readonly step: number;
  /** That of its end is still to come. */
  readonly begun: boolean;
}

/** Counted in steps of the job. */
export class SlowRuns {
  /** The run that lasts; `lines`: pauses that the log reported in it. */
  #run: { readonly start: number; readonly fromMs: number; lines: number } | null = null;
  /** The last run that was reported, where nothing explained it yet, and its last step. */
  #reported: { readonly pause: Omit<Pause, 'why'>; readonly end: number } | null = null;
  #line: Line | null = null;
  /** How many lines in a row came with steps as usual and close together. */
  #close = 0;
  #rhythm = new PauseRhythm();

  /** The job starts again: what was learned is void. */
  restart(): void {
    this.#rhythm = new PauseRhythm();
    this.#line = null;
    this.#reported = null;
  }

  /**
   * A line says why steps are late, those just before it (`ends`) or those to come. Null where the job writes such lines
   * all the time; `pause`: the run that it explains afterwards.
   */
  line(why: PauseReason, ends: boolean, step: number): { readonly pause: Pause | null } | null {
    const [before, reported] = [this.#line, this.#reported];
    const apart = before === null ? LEAST_APART : step - before.step;
    this.#line = { why, step, begun: !ends };
    if (apart >= LEAST_APART) this.#close = 0;
    else if (apart > 0 && this.#run === null) this.#close += 1;
    if (this.#close >= ALL_THE_TIME) return null;
    // Several lines without a step in between, or after one that began it, are about one pause.
    if (this.#run !== null && apart > 0 && before?.begun !== true) this.#run.lines += 1;
    if (reported === null || step - reported.end > NEAR_STEPS) return { pause: null };
    this.#reported = null;
    return { pause: { ...reported.pause, why } };
  }

  /** A run begins; how many slow steps of it are not news because a pause is due, null where none is. */
  begin(start: number, fromMs: number, value: number): number | null {
    const line = this.#line !== null && this.#line.step >= start - NEAR_STEPS ? this.#line : null;
    this.#run = { start, fromMs, lines: line === null ? 0 : 1 };
    return this.#rhythm.due(start, value, line?.begun === true);
  }

  /** The run is over: learns from it. The pause that it was, where it was reported and is explained. */
  end(end: number, toMs: number, value: number, reported: boolean): Pause | null {
    const run = this.#run;
    this.#run = null;
    if (run === null) return null;
    const steps = end - run.start + 1;
    const said = toMs - run.fromMs <= LONGEST_PAUSE_MS ? this.#said(run, end, steps) : null;
    const episode: Episode = { start: run.start, steps, value, explained: said !== null };
    const why = said ?? (this.#rhythm.repeats(episode) ? 'rhythm' : null);
    this.#rhythm.add(episode);
    const pause = { steps, fromMs: run.fromMs, toMs };
    this.#reported = reported && why === null ? { pause, end } : null;
    return reported && why !== null ? { ...pause, why } : null;
  }

  /** One line at its end, or at its beginning. A slowdown that several of them fell into is none of theirs. */
  #said({ start, lines }: { start: number; lines: number }, end: number, steps: number): PauseReason | null {
    const line = this.#line;
    if (line === null || lines !== 1 || this.#close >= ALL_THE_TIME) return null;
    const short = line.step <= start + NEAR_STEPS && steps <= (line.begun ? ANNOUNCED_STEPS : LEAST_APART);
    return end - line.step <= NEAR_STEPS || short ? line.why : null;
  }
}
