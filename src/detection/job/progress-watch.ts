// Progress watch: notices that a job's log has stopped reporting progress while its GPUs are at work or its processes are there.

import { hasRoom } from '../../helpers/has-room.ts';
import { upperMedian } from '../../helpers/median.ts';
import { type Component, componentText, parseComponent } from '../../model/component.ts';
import type { Attributes } from '../../model/event.ts';
import { parseSeriesKey } from '../../model/reading.ts';
import type { EventInput, SampleBatch } from '../../model/record.ts';
import type { PauseMark } from '../text/job/decoded.ts';
import type { PauseReason } from '../text/job/pause-line.ts';
import { pauseEvent } from './pause-event.ts';

/** A pause shorter than this is an evaluation, a checkpoint or a slow step, whatever the steps take. */
const SHORTEST_MS = 120_000;
/** The same once the log said that an evaluation or a checkpoint has begun: NCCL's own limit is as long at least. */
const ANNOUNCED_MS = 600_000;
/**
 * The same where its GPUs are idle and its processes are there: nothing waits in a collective then, and a save to a slow store, a
 * compilation or an evaluation on processors looks the same.
 */
const IDLE_MS = 180_000;
/** How much longer than the longest one known a pause may be, and how long none ever is. */
const LONGER = 1.5;
const LONGEST_MS = 1_800_000;
/** Steps that must be missing. */
const STEPS = 6;
/** Steps before a job's rhythm is known: the first ones compile and warm up. */
const LEARNED = 5;
const KEPT_STEPS = 31;
const MAX_JOBS = 256;
/** Steps that must be missing where only the log says that the job still runs. */
const STEPS_BY_WORDS = 15;
/** So long a source of GPU readings may be late, as events may. */
const LATE_MS = 30_000;
/** Mean utilization of at least one GPU that says that the job still holds it: a collective that waits spins at 100 %. */
export const BUSY = 0.5;

interface Job {
  lastMs: number;
  iteration: number | null;
  readonly stepsMs: number[];
  hanging: boolean;
  /** Its GPUs were idle, or not read, when it was found to hang. */
  idle: boolean;
  /** It hangs, and may still save, compile or evaluate without a word: a warning until no pause is as long. */
  mayPause: boolean;
  /** The log said that a pause has begun, and nothing since. */
  pausing: PauseReason | null;
  /** The longest silence that such a line explained, or after which it continued by itself with idle GPUs. */
  longestPauseMs: number;
  /** When its silence was too long, and nothing showed whether its GPUs were at work; null where that was seen, or it is not so. */
  unseenMs: number | null;
  /** When its log had a line last that reports none. */
  spokeMs: number;
  /** When its last step was read, whatever time its line says. */
  seenMs: number;
  /** Its log said that it made its last step, failed, or starts again: no step is due. */
  rests: boolean;
  /** When its log was read to its end last. */
  readMs: number;
  /** When its log reported last that it, or a rank of it, failed. */
  failedMs: number;
}

/** What is known of the host besides the logs. */
export interface Signs {
  /** Whether GPUs of this host were at work in the second before that time; null where that is not read yet. */
  readonly busy: (atMs: number) => boolean | null;
  /** What is left of the processes of a job on this host; null where none was ever seen. */
  readonly lifeOf: (job: string) => { readonly alive: number; readonly gone: number } | null;
  /** What the log of a job shows as a whole: asked where nothing else is known of the job, and it fell silent. */
  readonly wholeLog?: (job: string) => readonly EventInput[];
}

/**
 * Fed with the samples of job logs and their lines about pauses; `settle` reports onsets and clears of job.hang. Times are those of the log lines; an
 * onset's time is the deadline that passed, so it does not depend on when `settle` is called.
 */
export class ProgressWatch {
  readonly #jobs = new Map<string, Job>();
  readonly #cleared: EventInput[] = [];

  samples(batch: SampleBatch): void {
    for (let i = 0; i < batch.keys.length; i += 1) {
      const key = batch.keys[i] ?? '';
      if (!key.endsWith('#step_time') && !key.endsWith('#iteration')) continue;
      const { component, quantity } = parseSeriesKey(key);
      const timeMs = batch.timesMs[i] ?? Number.NaN;
      const value = batch.values[i] ?? Number.NaN;
      if (!component.startsWith('job/') || Number.isNaN(timeMs) || Number.isNaN(value)) continue;
      this.#progress(component, quantity, timeMs, value);
    }
  }

  /** A line about a pause is a sign of life too, and says what the silence before it was, or that one begins. */
  pause({ component, why, timeMs, ends }: PauseMark): void {
    const text = componentText(component);
    const job = this.#jobs.get(text);
    if (job === undefined) return;
    this.#alive(text, job, timeMs, ends ? why : job.pausing);
    job.pausing = ends ? null : why;
  }

  /** It said that it is over: a hang is none any more, and its next steps are those of another run. */
  ended(job: Component, timeMs: number): void {
    const text = componentText(job);
    const known = this.#jobs.get(text);
    if (known === undefined) return;
    this.#alive(text, known, timeMs, null);
    this.#jobs.delete(text);
  }

  /** Whether a job is watched, so that time must pass even when nothing is heard. */
  get waiting(): boolean {
    for (const job of this.#jobs.values())
      if (job.mayPause || (!job.hanging && (job.unseenMs === null || missesByWords(job)))) return true;
    return false;
  }

  settle(nowMs: number, signs: Signs): EventInput[] {
    const { busy, lifeOf, wholeLog = () => [] } = signs;
    const found = this.#cleared.splice(0);
    for (const [text, job] of this.#jobs) {
      const deadlineMs = job.lastMs + patienceMs(job);
      if (job.mayPause && nowMs >= job.lastMs + ANNOUNCED_MS) this.#lasts(found, text, job, nowMs, lifeOf);
      if (job.hanging) continue;
      if (job.unseenMs !== null || job.stepsMs.length < LEARNED) {
        if (missesByWords(job)) this.#hangsByWords(found, text, job, nowMs, signs);
        continue;
      }
      if (nowMs < deadlineMs) continue;
      // A log that is not read is not a silent one; what is written by others than files says nothing of that.
      if (job.readMs > Number.NEGATIVE_INFINITY && job.readMs < deadlineMs) continue;
      const life = lifeOf(text.slice('job/'.length));
      // Its processes ended, or its GPUs are idle and no process of it is known: it has ended, which is not a hang.
      const isOver = life?.alive === 0;
      const works = isOver ? false : busy(deadlineMs);
      if (works === null && nowMs < deadlineMs + LATE_MS) continue;
      if (isOver || (works === false && life === null)) this.#jobs.delete(text);
      else if (works === true) this.#hangs(found, text, job, deadlineMs, nowMs, { gpus: 'busy', ...processes(life) });
      else if (life === null) {
        job.unseenMs = deadlineMs;
        found.push(...wholeLog(text.slice('job/'.length)));
      }
      // What failed tells of itself, and waits for its end.
      else if (job.failedMs < job.lastMs) {
        const idleMs = works === null ? deadlineMs + LATE_MS : Math.max(deadlineMs, job.lastMs + IDLE_MS);
        if (nowMs < idleMs || job.readMs < deadlineMs) continue;
        const gpus = works === null ? 'unread' : 'idle';
        this.#hangs(found, text, job, idleMs, nowMs, { gpus, ...processes(life) });
      }
    }
    return found;
  }

  #hangs(found: EventInput[], text: string, job: Job, atMs: number, nowMs: number, signs: Attributes): void {
    job.hanging = true;
    job.idle = signs.gpus !== 'busy';
    job.mayPause = job.idle && atMs < job.lastMs + ANNOUNCED_MS;
    const event = hang(text, job, 'onset', atMs, nowMs, signs);
    if (event !== null) found.push(job.mayPause ? { ...event, severity: 'warning' } : event);
  }

  /** What its log alone shows of a job whose rhythm or GPUs are not known, unless something speaks against it. */
  #hangsByWords(found: EventInput[], text: string, job: Job, nowMs: number, { busy, lifeOf }: Signs): void {
    const life = lifeOf(text.slice('job/'.length));
    const works = busy(nowMs);
    if (life?.alive === 0 || (works === false && life === null)) return;
    const gpus = works === null ? 'unread' : works ? 'busy' : 'idle';
    // As of the line that showed it: lines may come an hour apart, and what was over so long ago would be no news.
    this.#hangs(found, text, job, job.spokeMs, nowMs, { gpus, ...processes(life) });
  }

  /** It stood with idle GPUs for longer than a save takes: the same hang, as grave as any. */
  #lasts(found: EventInput[], text: string, job: Job, nowMs: number, lifeOf: Signs['lifeOf']): void {
    job.mayPause = false;
    if (lifeOf(text.slice('job/'.length))?.alive === 0) return;
    const event = hang(text, job, 'onset', job.lastMs + ANNOUNCED_MS, nowMs, { gpus: 'idle' });
    if (event !== null) found.push(event);
  }

  /** Its log was read to its end: what it is silent about is known. `spoke`: lines came since that was said last. */
  read(job: string, timeMs: number, spoke = false): void {
    const known = this.#jobs.get(job);
    if (known === undefined) return;
    known.readMs = Math.max(known.readMs, timeMs);
    if (spoke) known.spokeMs = Math.max(known.spokeMs, timeMs);
  }

  /** Its log reports a failure of it. */
  failed({ component, timeMs }: EventInput): void {
    if (component === null) return;
    const id = component.type === 'rank' ? component.id.slice(0, component.id.lastIndexOf('/')) : component.id;
    const job = this.#jobs.get(`job/${id}`);
    if (job !== undefined) job.failedMs = Math.max(job.failedMs, timeMs);
  }

  /** Its log says at last that it stood: what no reading of its GPUs could show while it did. */
  timedOut({ kind, component, timeMs, observedMs, attributes: { waited_ms: waited } = {} }: EventInput): void {
    if (kind !== 'job.collective_timeout' || component === null || typeof waited !== 'number') return;
    const id = component.type === 'rank' ? component.id.slice(0, component.id.lastIndexOf('/')) : component.id;
    const text = `job/${id}`;
    const job = this.#jobs.get(text);
    if (job === undefined || job.unseenMs === null || job.hanging || timeMs - waited > job.unseenMs) return;
    job.hanging = true;
    const event = hang(text, job, 'onset', job.unseenMs, observedMs);
    if (event !== null) this.#cleared.push(event);
  }

  /** A line of the job without a step. */
  spoke({ id }: Component, timeMs: number): void {
    const job = this.#jobs.get(`job/${id}`);
    if (job !== undefined) job.spokeMs = Math.max(job.spokeMs, timeMs);
  }

  /** A step of it was read now. */
  stepped({ id }: Component, timeMs: number): void {
    const job = this.#jobs.get(`job/${id}`);
    if (job !== undefined) job.seenMs = Math.max(job.seenMs, timeMs);
  }

  /** By its words no step is due until it makes one. */
  rests({ id }: Component): void {
    const job = this.#jobs.get(`job/${id}`);
    if (job !== undefined) job.rests = true;
  }

  /** It made its last step, or ended: no further one is missed. */
  over({ id }: Component): void {
    this.#jobs.delete(`job/${id}`);
  }

  /**
   * The same as `settle` for a log of which nothing else is known: it is a hang where lines still come, long after the
   * longest pause that any job makes, and none of them is a step.
   */
  settleByWords(): EventInput[] {
    const found = this.#cleared.splice(0);
    for (const [text, job] of this.#jobs) {
      if (job.hanging || !missesByWords(job)) continue;
      job.hanging = true;
      const deadlineMs = wordsDeadlineMs(job);
      // Its lines may come hours apart: what they show is as of its time, not of the line that came next.
      const event = hang(text, job, 'onset', deadlineMs, deadlineMs);
      if (event !== null) found.push(event);
    }
    return found;
  }

  #progress(text: string, quantity: string, timeMs: number, value: number): void {
    const job = this.#jobs.get(text) ?? newJob(timeMs);
    if (!hasRoom(this.#jobs, text, MAX_JOBS)) return;
    this.#jobs.set(text, job);
    job.rests = false;
    if (quantity === 'iteration') job.iteration = value;
    else {
      job.stepsMs.push(value * 1000);
      if (job.stepsMs.length > KEPT_STEPS) job.stepsMs.shift();
    }
    this.#alive(text, job, timeMs, job.pausing);
    job.pausing = null;
  }

  /** Something was written: no hang, or none any more. `why` is what the silence was for, where the log said so. */
  #alive(text: string, job: Job, timeMs: number, why: PauseReason | null): void {
    if (timeMs <= job.lastMs) return;
    const pausedMs = timeMs - job.lastMs;
    if (why !== null) job.longestPauseMs = Math.max(job.longestPauseMs, pausedMs);
    // It continued by itself after what looked like a save that no line announces: the next one may take as long.
    else if (job.hanging && job.idle)
      job.longestPauseMs = Math.max(job.longestPauseMs, Math.min(pausedMs, ANNOUNCED_MS));
    if (job.hanging) {
      const event = hang(text, job, 'clear', timeMs, timeMs);
      if (event !== null) {
        this.#cleared.push(event);
        const { component } = event;
        const pause = { steps: 0, fromMs: job.lastMs, toMs: timeMs };
        if (why !== null && component !== null) this.#cleared.push(pauseEvent(component, { why, ...pause }));
      }
      job.hanging = false;
      job.mayPause = false;
    }
    job.unseenMs = null;
    job.lastMs = timeMs;
  }
}

function newJob(lastMs: number): Job {
  return {
    lastMs,
    iteration: null,
    stepsMs: [],
    hanging: false,
    idle: false,
    mayPause: false,
    pausing: null,
    longestPauseMs: 0,
    unseenMs: null,
    spokeMs: lastMs,
    seenMs: Number.NEGATIVE_INFINITY,
    rests: false,
    readMs: Number.NEGATIVE_INFINITY,
    failedMs: Number.NEGATIVE_INFINITY,
  };
}

/** Where only its log says that a job still runs: after this no pause of a job is as long. */
function wordsDeadlineMs(job: Job): number {
  return (
    Math.max(job.lastMs, job.seenMs) +
    Math.max(LONGEST_MS, STEPS_BY_WORDS * (upperMedian(job.stepsMs) ?? 0), patienceMs(job))
  );
}

/** Lines still come after that time, and none of them is a step, nor says why there is none. */
function missesByWords(job: Job): boolean {
  // Asked first, as it costs least: nearly every log has steps.
  if (job.spokeMs < job.lastMs + LONGEST_MS || job.rests || job.failedMs >= job.lastMs) return false;
  return (upperMedian(job.stepsMs) ?? 0) > 0 && job.spokeMs >= wordsDeadlineMs(job);
}

function patienceMs(job: Job): number {
  const announced = job.pausing === null ? 0 : ANNOUNCED_MS;
  const known = Math.min(LONGEST_MS, LONGER * job.longestPauseMs);
  return Math.max(SHORTEST_MS, STEPS * (upperMedian(job.stepsMs) ?? 0), announced, known);
}

function processes(life: ReturnType<Signs['lifeOf']>): Attributes {
  return life === null ? {} : { processes: life.alive, ...(life.gone > 0 ? { processes_gone: life.gone } : {}) };
}

function hang(
  text: string,
  job: Job,
  state: 'onset' | 'clear',
  timeMs: number,
  nowMs: number,
  signs: Attributes = {},
): EventInput | null {
  const component = parseComponent(text);
  if (component === null) return null;
  return {
    kind: 'job.hang',
    component,
    timeMs,
    // It stopped somewhere between its last line and the first one that is missing.
    interval:
      state === 'onset' ? { earliestMs: job.lastMs, latestMs: timeMs } : { earliestMs: timeMs, latestMs: timeMs },
    observedMs: Math.max(timeMs, nowMs),
    trust: 'tenant',
    state,
    source: 'job-log',
    attributes: {
      iteration: job.iteration,
      silent_ms: Math.round(timeMs - job.lastMs),
      usual_step_ms: Math.round(upperMedian(job.stepsMs) ?? 0),
      ...signs,
    },
    discriminator: 'progress',
  };
}
