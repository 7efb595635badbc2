// JobTracker: which jobs are on this node, what slurmctld said of each, and when it has to be asked again: once when a job
// appears, and from when its processes are gone until its end is known.

import { backOffMs } from '../../../helpers/back-off.ts';
import type { EventInput } from '../../../model/record.ts';
import type { JobAnswer } from '../ask/questions.ts';
import type { SlurmJob } from '../read/job.ts';
import type { ListedTask } from '../read/listed-tasks.ts';
import { type EventContext, endEvents, forgottenEvent, requeuedEvent, startedEvent } from './job-events.ts';
import { outcomeOf, waits } from './outcome.ts';

const MOST_JOBS = 1024;
const FIRST_AGAIN_MS = 2000;
const LONGEST_AGAIN_MS = 300_000;
/** What has ended is remembered so long for incidents that name it. */
const KEPT_MS = 60_000;
/** A job that began longer ago was here before the daemon. */
const BEGAN_MS = 600_000;

export interface TrackedJob {
  readonly number: number;
  /** Null until slurmctld answered; it stays so where it does not show the job to us. */
  readonly record: SlurmJob | null;
  readonly tasks: readonly ListedTask[];
  /** Slurm says that there is no such job, and here it is: other users' jobs are private. */
  readonly isHidden: boolean;
  /** Its end is known; it is remembered for a while. */
  readonly isOver: boolean;
}

interface Entry extends Omit<TrackedJob, 'isOver'> {
  record: SlurmJob | null;
  tasks: readonly ListedTask[];
  isHidden: boolean;
  isHere: boolean;
  /** Null: nothing to ask. */
  askAtMs: number | null;
  tries: number;
  /** Its end is known. */
  endedMs: number | null;
}

export class JobTracker {
  readonly #jobs = new Map<number, Entry>();
  readonly #delayMs: () => number;

  /** `delayMs`: by how much the next question is put off, so that not all hosts ask at once. */
  constructor(delayMs: () => number) {
    this.#delayMs = delayMs;
  }

  get jobs(): readonly TrackedJob[] {
    return [...this.#jobs.values()].map((entry) => ({ ...entry, isOver: entry.endedMs !== null }));
  }

  /** Whether it is here, or its end is still to be heard of. */
  has(number: number): boolean {
    return this.#jobs.has(number);
  }

  /** Jobs that are here now, by raw number, and their tasks; left out: as they were. */
  here(numbers: ReadonlySet<number>, tasks: ReadonlyMap<number, readonly ListedTask[]> | null, nowMs: number): void {
    for (const number of numbers) {
      const known = this.#jobs.get(number);
      // A number comes back where the job was started again.
      const entry = known === undefined || known.endedMs !== null ? this.#added(number, known, nowMs) : known;
      if (entry === null) continue;
      if (!entry.isHere) this.#askSoon(entry, nowMs);
      entry.isHere = true;
      if (tasks !== null) entry.tasks = tasks.get(number) ?? [];
    }
    for (const entry of this.#jobs.values()) {
      if (numbers.has(entry.number)) continue;
      if (entry.isHere) this.#askSoon(entry, nowMs);
      entry.isHere = false;
      entry.tasks = [];
      if (entry.endedMs !== null && nowMs - entry.endedMs > KEPT_MS) this.#jobs.delete(entry.number);
    }
  }

  /** Numbers of jobs that slurmctld is to be asked about now. */
  due(nowMs: number): readonly number[] {
    return [...this.#jobs.values()]
      .filter(({ askAtMs }) => askAtMs !== null && askAtMs <= nowMs)
      .map(({ number }) => number);
  }

  /** When the next question is due, ms; null where none is. */
  get nextMs(): number | null {
    const times = [...this.#jobs.values()].flatMap(({ askAtMs }) => (askAtMs === null ? [] : [askAtMs]));
    return times.length === 0 ? null : Math.min(...times);
  }

  /** There was no answer. */
  failed(number: number, nowMs: number): void {
    const entry = this.#jobs.get(number);
    if (entry !== undefined) this.#askAgain(entry, nowMs);
  }

  /** Takes an answer; what follows from it as events. */
  answered(number: number, answer: JobAnswer, context: EventContext): readonly EventInput[] {
    const entry = this.#jobs.get(number);
    if (entry === undefined || entry.endedMs !== null) return [];
    return answer === 'gone' ? this.#gone(entry, context) : this.#answer(entry, answer.job, context);
  }

  #gone(entry: Entry, context: EventContext): readonly EventInput[] {
    entry.askAtMs = null;
    if (entry.isHere) {
      entry.isHidden = true;
      return [];
    }
    entry.endedMs = context.nowMs;
    return [forgottenEvent(entry.record ?? { number: entry.number, array: null }, context)];
  }

  #answer(entry: Entry, job: SlurmJob, context: EventContext): readonly EventInput[] {
    const before = entry.record;
    const outcome = outcomeOf(job, before);
    entry.isHidden = false;
    if (outcome.type === 'over') {
      entry.record = job;
      this.#ended(entry, context.nowMs);
      return endEvents(job, outcome.state, context);
    }
    if (outcome.type === 'requeued') {
      entry.record = job;
      // What waits already was reported.
      const events = before !== null && waits(before) ? [] : [requeuedEvent(job, before, context)];
      if (!entry.isHere) this.#ended(entry, context.nowMs);
      else if (job.states.includes('RUNNING')) events.push(...this.#began(job, context));
      entry.askAtMs = null;
      return events;
    }
    if (outcome.type === 'unclear') {
      this.#askAgain(entry, context.nowMs);
      return [];
    }
    entry.record = job;
    entry.askAtMs = null;
    entry.tries = 0;
    // Its processes are gone, and it is not over: asked until it is.
    if (!entry.isHere) this.#askAgain(entry, context.nowMs);
    return before === null || waits(before) ? this.#began(job, context) : [];
  }

  #began(job: SlurmJob, context: EventContext): EventInput[] {
    const isNews = job.startedMs !== null && context.nowMs - context.steady(job.startedMs) < BEGAN_MS;
    return isNews ? [startedEvent(job, context)] : [];
  }

  #ended(entry: Entry, nowMs: number): void {
    entry.endedMs = nowMs;
    entry.askAtMs = null;
    entry.tasks = [];
  }

  #added(number: number, known: Entry | undefined, nowMs: number): Entry | null {
    if (known === undefined && this.#jobs.size >= MOST_JOBS) return null;
    // Of one that ended and is still here only the processes end late.
    if (known?.isHere === true) return known;
    const entry: Entry = {
      number,
      record: null,
      tasks: [],
      isHidden: false,
      isHere: true,
      askAtMs: nowMs + this.#delayMs(),
      tries: 0,
      endedMs: null,
    };
    this.#jobs.set(number, entry);
    return entry;
  }

  #askSoon(entry: Entry, nowMs: number): void {
    if (entry.endedMs !== null) return;
    entry.tries = 0;
    entry.askAtMs = nowMs + this.#delayMs();
  }

  #askAgain(entry: Entry, nowMs: number): void {
    entry.askAtMs = nowMs + backOffMs(FIRST_AGAIN_MS, entry.tries, LONGEST_AGAIN_MS);
    entry.tries += 1;
  }
}
