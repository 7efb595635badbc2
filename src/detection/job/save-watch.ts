// Save watch: notices that a checkpoint takes far longer than those that the same job wrote before.

import { type Component, componentText } from '../../model/component.ts';
import type { EventInput } from '../../model/record.ts';
import type { PauseMark } from '../text/job/decoded.ts';

/** Saves of which a job's usual time is known, and how many are kept. */
const LEARNED = 2;
const KEPT = 8;
/** How much longer than the longest usual one it is when it is reported, and how long in any case. */
const LONGER = 3;
const SHORTEST_MS = 60_000;
/** Whoever began it this long ago is gone. */
const FORGOTTEN_MS = 4 * 3_600_000;
const MAX_JOBS = 256;

interface Job {
  readonly component: Component;
  readonly usualMs: number[];
  startMs: number | null;
  slow: boolean;
}

/** Fed with the lines of job logs about checkpoints; `settle` reports onsets and clears of job.checkpoint_slow. */
export class SaveWatch {
  readonly #jobs = new Map<string, Job>();
  readonly #over: EventInput[] = [];

  pause({ component, why, ends, timeMs }: PauseMark): void {
    if (why !== 'checkpoint') return;
    const job = this.#job(component);
    if (job === null) return;
    if (!ends) {
      job.startMs ??= timeMs;
      return;
    }
    const { startMs } = job;
    job.startMs = null;
    if (startMs === null || timeMs < startMs) return;
    // What was reported as slow does not become usual.
    if (this.#clear(job, startMs, timeMs)) return;
    job.usualMs.push(timeMs - startMs);
    if (job.usualMs.length > KEPT) job.usualMs.shift();
  }

  /** The job starts again, or is over: a save that was under way is not any more. */
  restarted(job: Component, timeMs: number): void {
    const known = this.#jobs.get(componentText(job));
    if (known?.startMs === undefined || known.startMs === null) return;
    this.#clear(known, known.startMs, timeMs);
    known.startMs = null;
  }

  get waiting(): boolean {
    if (this.#over.length > 0) return true;
    for (const job of this.#jobs.values()) if (job.startMs !== null) return true;
    return false;
  }

  settle(nowMs: number): EventInput[] {
    const found = this.#over.splice(0);
    for (const job of this.#jobs.values()) {
      if (job.startMs === null) continue;
      if (nowMs - job.startMs > FORGOTTEN_MS) {
        this.restarted(job.component, nowMs);
        continue;
      }
      const dueMs = job.startMs + Math.max(SHORTEST_MS, LONGER * Math.max(0, ...job.usualMs));
      if (job.slow || job.usualMs.length < LEARNED || nowMs < dueMs) continue;
      job.slow = true;
      found.push(event(job, 'onset', job.startMs, dueMs));
    }
    return found;
  }

  #clear(job: Job, startMs: number, timeMs: number): boolean {
    if (!job.slow) return false;
    job.slow = false;
    this.#over.push(event(job, 'clear', startMs, timeMs));
    return true;
  }

  #job(component: Component): Job | null {
    const text = componentText(component);
    const known = this.#jobs.get(text);
    if (known !== undefined) return known;
    if (this.#jobs.size >= MAX_JOBS) return null;
    const fresh: Job = { component, usualMs: [], startMs: null, slow: false };
    this.#jobs.set(text, fresh);
    return fresh;
  }
}

function event({ component, usualMs }: Job, state: 'onset' | 'clear', startMs: number, timeMs: number): EventInput {
  return {
    kind: 'job.checkpoint_slow',
    component,
    timeMs,
    interval: { earliestMs: state === 'onset' ? startMs : timeMs, latestMs: timeMs },
    observedMs: timeMs,
    trust: 'tenant',
    state,
    source: 'job-log',
    attributes: { since_s: (timeMs - startMs) / 1000, usual_s: Math.max(0, ...usualMs) / 1000 },
    discriminator: `save:${startMs}`,
  };
}
