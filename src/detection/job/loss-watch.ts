// Loss watch: a loss that jumps and comes back within a few steps, or does not: by what is usual of this run alone.

import { hasRoom } from '../../helpers/has-room.ts';
import { RecentValues } from '../../helpers/recent-values.ts';
import type { Component } from '../../model/component.ts';
import type { EventInput } from '../../model/record.ts';
import type { StepSeen } from '../text/job/decoded.ts';
import { isFiniteNumber } from '../text/job/number.ts';

const MAX_JOBS = 256;
/** Reports by which the usual loss is known, and of how many it is the median. */
const LEARNED = 3;
const KEPT = 32;
/** A jump is by so much of the usual loss, and by so many usual differences; it is back within half of that. */
const JUMP = 0.5;
const DIFFERENCES = 8;
const BACK = 0.5;
/** A loss that is above for so many reports and so many steps does not come back by itself. */
const LASTING_REPORTS = 5;
const LASTING_STEPS = 20;

interface Jump {
  readonly iteration: number;
  readonly timeMs: number;
  readonly usual: number;
  readonly limit: number;
  readonly back: number;
  reports: number;
  peak: number;
  diverged: boolean;
}

interface Run {
  iteration: number;
  readonly usual: RecentValues;
  jump: Jump | null;
}

export class LossWatch {
  readonly #runs = new Map<string, Run>();

  steps(job: Component, steps: readonly StepSeen[]): EventInput[] {
    const found: EventInput[] = [];
    for (const { timeMs, progress } of steps) {
      const { iteration, loss } = progress;
      if (iteration === null || !isFiniteNumber(loss)) continue;
      const event = this.#step(job, iteration, loss, timeMs);
      if (event !== null) found.push(event);
    }
    return found;
  }

  #step(job: Component, iteration: number, loss: number, timeMs: number): EventInput | null {
    const known = this.#runs.get(job.id);
    // Of every rank a line; and a run that starts again learns again.
    if (known !== undefined && iteration === known.iteration) return null;
    const run = known === undefined || iteration < known.iteration ? newRun() : known;
    if (run !== known) {
      if (!hasRoom(this.#runs, job.id, MAX_JOBS)) return null;
      this.#runs.set(job.id, run);
    }
    run.iteration = iteration;
    if (run.jump !== null) return this.#jumped(job, run, run.jump, { iteration, loss, timeMs });
    const jump = jumpOf(run, { iteration, loss, timeMs });
    if (jump === null) run.usual.add(loss);
    else run.jump = jump;
    return null;
  }

  #jumped(job: Component, run: Run, jump: Jump, { iteration, loss, timeMs }: LossAt): EventInput | null {
    if (loss <= jump.back) {
      run.jump = null;
      run.usual.add(loss);
      const state = jump.diverged ? ({ state: 'clear' } as const) : {};
      return { ...lossEvent(job, jump, jump.diverged ? 'job.loss_divergence' : 'job.loss_spike', timeMs), ...state };
    }
    jump.reports += 1;
    jump.peak = Math.max(jump.peak, loss);
    const lasts = jump.reports >= LASTING_REPORTS && iteration - jump.iteration >= LASTING_STEPS;
    if (jump.diverged || !lasts) return null;
    jump.diverged = true;
    return { ...lossEvent(job, jump, 'job.loss_divergence', timeMs), state: 'onset' };
  }
}

interface LossAt {
  readonly iteration: number;
  readonly loss: number;
  readonly timeMs: number;
}

function jumpOf({ usual }: Run, { iteration, loss, timeMs }: LossAt): Jump | null {
  if (usual.size < LEARNED) return null;
  const { median } = usual;
  const least = JUMP * Math.abs(median);
  if (!(loss > median + least)) return null;
  const rise = Math.max(least, DIFFERENCES * usual.differenceFrom(median));
  if (!(loss > median + rise)) return null;
  return {
    iteration,
    timeMs,
    usual: median,
    limit: median + rise,
    back: median + BACK * rise,
    reports: 1,
    peak: loss,
    diverged: false,
  };
}

function newRun(): Run {
  return { iteration: Number.NaN, usual: new RecentValues(KEPT), jump: null };
}

/** Noticed at `nowMs`; it began with the first step of the jump. */
function lossEvent(
  job: Component,
  jump: Jump,
  kind: 'job.loss_spike' | 'job.loss_divergence',
  nowMs: number,
): EventInput {
  return {
    kind,
    component: job,
    timeMs: nowMs,
    interval: { earliestMs: Math.min(jump.timeMs, nowMs), latestMs: nowMs },
    observedMs: nowMs,
    trust: 'tenant',
    source: 'job-log',
    attributes: {
      iteration: jump.iteration,
      quantity: 'loss',
      before: jump.usual,
      after: jump.peak,
      limit: jump.limit,
      unit: '',
    },
    discriminator: `loss ${jump.iteration}`,
  };
}
