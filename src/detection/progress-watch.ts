// Progress watch: notices that a job's log has stopped telling progress while its GPUs are still busy.

import { parseComponent } from '../model/component.ts';
import { parseSeriesKey } from '../model/reading.ts';
import type { EventInput, SampleBatch } from '../model/record.ts';

/** A pause shorter than this is an evaluation, a checkpoint or a slow step, whatever the steps take. */
const SHORTEST_MS = 120_000;
/** Steps that must be missing. */
const STEPS = 6;
/** Steps before a job's rhythm is known: the first ones compile and warm up. */
const LEARNED = 5;
const KEPT_STEPS = 31;
const MAX_JOBS = 256;
/** Mean utilization of at least one GPU that says that the job still holds it: a collective that waits spins at 100 %. */
export const BUSY = 0.5;

interface Job {
  lastMs: number;
  iteration: number | null;
  readonly stepsMs: number[];
  hanging: boolean;
}

/**
 * Fed with the samples of job logs; `settle` tells onsets and clears of job.hang. Times are those of the log lines; an
 * onset's time is the deadline that passed, so it does not depend on when `settle` is called.
 */
export class ProgressWatch {
  readonly #jobs = new Map<string, Job>();
  readonly #cleared: EventInput[] = [];

  samples(batch: SampleBatch): void {
    for (let i = 0; i < batch.keys.length; i += 1) {
      const { component, quantity } = parseSeriesKey(batch.keys[i] ?? '');
      const timeMs = batch.timesMs[i] ?? Number.NaN;
      const value = batch.values[i] ?? Number.NaN;
      if (!component.startsWith('job/') || Number.isNaN(timeMs) || Number.isNaN(value)) continue;
      if (quantity === 'step_time' || quantity === 'iteration') this.#progress(component, quantity, timeMs, value);
    }
  }

  /** Whether a job is watched, so that time must go on even when nothing is heard. */
  get waiting(): boolean {
    for (const job of this.#jobs.values()) if (!job.hanging) return true;
    return false;
  }

  /** `busy` tells whether GPUs of this host were at work in the second before the deadline. */
  settle(nowMs: number, busy: (atMs: number) => boolean): EventInput[] {
    const found = this.#cleared.splice(0);
    for (const [text, job] of this.#jobs) {
      const deadlineMs = job.lastMs + patienceMs(job);
      if (job.hanging || nowMs < deadlineMs || job.stepsMs.length < LEARNED) continue;
      if (!busy(deadlineMs)) {
        // Idle GPUs and a silent log: the job has ended or was ended. Not for us to call it a hang.
        this.#jobs.delete(text);
        continue;
      }
      job.hanging = true;
      const event = hang(text, job, 'onset', deadlineMs);
      if (event !== null) found.push(event);
    }
    return found;
  }

  #progress(text: string, quantity: string, timeMs: number, value: number): void {
    const job = this.#jobs.get(text) ?? { lastMs: timeMs, iteration: null, stepsMs: [], hanging: false };
    if (!this.#jobs.has(text) && this.#jobs.size >= MAX_JOBS) return;
    this.#jobs.set(text, job);
    if (quantity === 'iteration') job.iteration = value;
    else {
      job.stepsMs.push(value * 1000);
      if (job.stepsMs.length > KEPT_STEPS) job.stepsMs.shift();
    }
    if (timeMs <= job.lastMs) return;
    if (job.hanging) {
      const event = hang(text, job, 'clear', timeMs);
      if (event !== null) this.#cleared.push(event);
      job.hanging = false;
    }
    job.lastMs = timeMs;
  }
}

function patienceMs(job: Job): number {
  return Math.max(SHORTEST_MS, STEPS * median(job.stepsMs));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function hang(text: string, job: Job, state: 'onset' | 'clear', timeMs: number): EventInput | null {
  const component = parseComponent(text);
  if (component === null) return null;
  return {
    kind: 'job.hang',
    component,
    timeMs,
    // It stopped somewhere between its last line and the first one that is missing.
    interval:
      state === 'onset' ? { earliestMs: job.lastMs, latestMs: timeMs } : { earliestMs: timeMs, latestMs: timeMs },
    observedMs: timeMs,
    trust: 'tenant',
    state,
    source: 'job-log',
    attributes: {
      iteration: job.iteration,
      silent_ms: Math.round(timeMs - job.lastMs),
      usual_step_ms: Math.round(median(job.stepsMs)),
    },
    discriminator: 'progress',
  };
}
