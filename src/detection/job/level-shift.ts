// Level shift: a step time that rises by a few percent and stays so, which only the whole of a log can show.

import { upperMedian } from '../../helpers/median.ts';
import type { Component } from '../../model/component.ts';
import type { EventInput } from '../../model/record.ts';
import type { StepSeen } from '../text/job/decoded.ts';

const MAX_JOBS = 64;
/** Of a longer run the end counts: a saved log is read once, and a daemon has other things to keep. */
const KEPT = 4096;
export const KEPT_LIVE = 256;
/** Steps on either side. */
const BEFORE = 3;
const AFTER = 2;
/** Every step after it takes longer than every one before by so much of the usual, and by so many times what these differ among each other. */
const LEAST_GAP = 0.03;
const CLEARLY = 3;

interface Step {
  readonly iteration: number;
  readonly timeMs: number;
  readonly ms: number;
}

/** Steps by their printed times; `end` says which runs ended slower than they began, beyond all that their steps differ. */
export class LevelShift {
  readonly #runs = new Map<string, Step[]>();
  readonly #kept: number;

  constructor(kept = KEPT) {
    this.#kept = kept;
  }

  steps(job: Component, steps: readonly StepSeen[]): void {
    for (const { timeMs, progress } of steps) {
      const { iteration, step_time_ms: ms, step_time_from: from } = progress;
      if (iteration === null || ms === null || from !== 'printed') continue;
      const run = this.#runs.get(job.id) ?? [];
      const last = run.at(-1);
      if (last !== undefined && iteration === last.iteration) continue;
      // Another run, or steps are missing in between: what it took before is not what it is to be compared with.
      if (last !== undefined && (iteration < last.iteration || isGap(run, iteration))) run.length = 0;
      if (!this.#runs.has(job.id) && this.#runs.size >= MAX_JOBS) continue;
      run.push({ iteration, timeMs, ms });
      if (run.length > 2 * this.#kept) run.splice(0, run.length - this.#kept);
      this.#runs.set(job.id, run);
    }
  }

  /** The log of one job fell silent: what it shows, once. */
  endOf(job: string): EventInput[] {
    const shift = shiftOf({ type: 'job', id: job }, this.#runs.get(job) ?? []);
    this.#runs.delete(job);
    return shift === null ? [] : [shift];
  }

  end(): EventInput[] {
    return [...this.#runs].flatMap(([id, run]) => shiftOf({ type: 'job', id }, run) ?? []);
  }
}

/** More than one interval between lines was left out. */
function isGap(run: readonly Step[], iteration: number): boolean {
  const [before, last] = [run.at(-2), run.at(-1)];
  return (
    before !== undefined && last !== undefined && iteration - last.iteration > 2 * (last.iteration - before.iteration)
  );
}

function shiftOf(job: Component, run: readonly Step[]): EventInput | null {
  const at = placeOfShift(run.map(({ ms }) => ms));
  const first = at === null ? undefined : run[at];
  if (at === null || first === undefined) return null;
  const usual = (steps: readonly Step[]): number => (upperMedian(steps.map(({ ms }) => ms)) ?? 0) / 1000;
  return {
    kind: 'job.throughput_drop',
    component: job,
    timeMs: first.timeMs,
    observedMs: first.timeMs,
    trust: 'tenant',
    source: 'job-log',
    state: 'onset',
    attributes: {
      iteration: first.iteration,
      before: usual(run.slice(0, at)),
      after: usual(run.slice(at)),
      quantity: 'step_time',
      unit: 's',
    },
    discriminator: `shift ${first.iteration}`,
  };
}

/** Index of the first step of the slower part; null where no place parts the steps so clearly. */
function placeOfShift(ms: readonly number[]): number | null {
  const after: Range[] = [];
  for (let at = ms.length - 1, range = NONE; at >= 0; at -= 1) {
    range = wider(range, ms[at] ?? 0);
    after[at] = range;
  }
  let before = NONE;
  for (let at = 0; at <= ms.length - AFTER; at += 1) {
    const slower = after[at] ?? NONE;
    const gap = slower.least - before.most;
    const differ = Math.max(before.most - before.least, slower.most - slower.least);
    if (at >= BEFORE && gap >= LEAST_GAP * before.most && gap >= CLEARLY * differ) return at;
    before = wider(before, ms[at] ?? 0);
  }
  return null;
}

interface Range {
  readonly least: number;
  readonly most: number;
}

const NONE: Range = { least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY };

function wider({ least, most }: Range, value: number): Range {
  return { least: Math.min(least, value), most: Math.max(most, value) };
}
