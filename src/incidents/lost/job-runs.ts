// Job runs: counts the GPU-hours that each job has GPUs of this host, from one view of the work to the next.

import type { DeviceUse, Work, WorkView } from '../../identity/work/work.ts';
import { stableId } from '../../model/identity.ts';
import type { JobRun } from '../../model/job-run.ts';
import type { EventInput } from '../../model/record.ts';
import { safeText } from '../../model/safe-text.ts';

const HOUR_MS = 3_600_000;
/** What a shorter run takes is not worth a line. */
const SHORTEST_MS = 60_000;
/** After a start of the daemon all its sources have looked once by then: what was not seen ended before. */
const LOOKED_MS = 60_000;
const MOST_RUNS = 1024;
const MOST_ALIASES = 8;
const LONGEST = 128;

interface Running {
  run: JobRun;
  /** GPU-hours that the last line of it has; null where it has none. */
  written: number | null;
  /** Of an earlier start of the daemon, and not seen since. */
  isOld?: boolean;
}

export class JobRuns {
  readonly #host: string;
  readonly #running = new Map<string, Running>();
  #version: number | null = null;
  #sinceMs: number | null = null;
  #looked = false;

  /** `earlier`: what the log has of runs that an earlier start of the daemon did not see the end of. */
  constructor(host: string, earlier: readonly JobRun[] = []) {
    this.#host = host;
    for (const run of earlier.filter(({ endedMs }) => endedMs === null).slice(-MOST_RUNS))
      this.#running.set(run.id, { run, written: run.gpuHours, isOld: true });
  }

  /** The runs that are to be written: those that began, that ended, and those that had an hour since they were written last. */
  take(view: WorkView, nowMs: number): readonly JobRun[] {
    this.#sinceMs ??= nowMs;
    const looked = nowMs - this.#sinceMs >= LOOKED_MS;
    const changed = view.version !== this.#version || looked !== this.#looked;
    this.#looked = looked;
    this.#version = view.version;
    const due = changed ? this.#changed(view, nowMs) : [];
    for (const running of this.#running.values()) {
      if (running.isOld === true) continue;
      const { run, written } = running;
      const isDue = written === null ? nowMs - run.startedMs >= SHORTEST_MS : nowMs - run.seenMs >= HOUR_MS;
      if (isDue) due.push(write(running, nowMs));
    }
    return due;
  }

  /** The log of a job said that a checkpoint is saved. */
  heard({
    kind,
    component,
    timeMs,
    observedMs,
  }: Pick<EventInput, 'kind' | 'component' | 'timeMs' | 'observedMs'>): void {
    if (kind !== 'job.checkpoint_saved' || component?.type !== 'job') return;
    for (const running of this.#running.values()) {
      const { job, aliases, startedMs } = running.run;
      if (job !== component.id && !aliases.includes(component.id)) continue;
      running.run = { ...running.run, savedMs: Math.max(startedMs, Math.min(timeMs, observedMs)) };
    }
  }

  /** All that run, as they are now: the daemon stops, they do not. */
  stop(nowMs: number): readonly JobRun[] {
    const all = [...this.#running.values()].filter(({ isOld }) => isOld !== true);
    return all.filter(({ run, written }) => isWorth(run, written, nowMs)).map((one) => write(one, nowMs));
  }

  #changed({ works, devices }: WorkView, nowMs: number): JobRun[] {
    const gpus = gpusOf(devices);
    const seen = new Set<string>();
    for (const work of works) {
      const count = gpus.get(work.id) ?? 0;
      if (count === 0) continue;
      const known = this.#find(work);
      const running = known ?? { run: this.#begin(work, count, nowMs), written: null };
      seen.add(running.run.id);
      if (known === undefined && this.#running.size >= MOST_RUNS) continue;
      running.isOld = false;
      const until = counted(running.run, nowMs);
      running.run = { ...until, ...namesOf(work), gpus: count };
      this.#running.set(running.run.id, running);
    }
    const ended: JobRun[] = [];
    for (const [id, running] of this.#running) {
      if (seen.has(id) || (running.isOld === true && !this.#looked)) continue;
      this.#running.delete(id);
      // When what ran before the daemon started again ended is not known: no later than it was seen counts.
      const until = running.isOld === true ? running.run : counted(running.run, nowMs);
      const run = { ...until, endedMs: until.seenMs };
      if (isWorth(run, running.written, nowMs)) ended.push(run);
    }
    return ended;
  }

  /** Of the same attempt, by any of its names. */
  #find(work: Work): Running | undefined {
    const names = new Set([work.id, ...work.aliases]);
    const candidates = [...this.#running.values()].filter(
      ({ run }) => names.has(run.job) || run.aliases.some((name) => names.has(name)),
    );
    return candidates.find(({ run }) => {
      const isSameAttempt = run.attempt === null || work.attempt === null || run.attempt === work.attempt;
      // A scheduler's start moves by a second at most; that of a job that was started again is another.
      const isSameStart = work.startedMs === null || Math.abs(work.startedMs - run.startedMs) < SHORTEST_MS || work.startedMs < run.seenMs; // biome-ignore format: one line
      return isSameAttempt && isSameStart;
    });
  }

  #begin(work: Work, gpus: number, nowMs: number): JobRun {
    const startedMs = Math.min(work.startedMs ?? nowMs, nowMs);
    return {
      id: stableId('job-run', this.#host, work.id, work.attempt ?? '', Math.round(startedMs)),
      host: this.#host,
      ...namesOf(work),
      startedMs,
      // What it had before it was seen for the first time it had since its start.
      seenMs: startedMs,
      endedMs: null,
      gpus,
      gpuHours: 0,
      savedMs: null,
    };
  }
}

function write(running: Running, nowMs: number): JobRun {
  running.run = counted(running.run, nowMs);
  running.written = running.run.gpuHours;
  return running.run;
}

function counted(run: JobRun, nowMs: number): JobRun {
  const hours = Math.max(nowMs - run.seenMs, 0) / HOUR_MS;
  return { ...run, gpuHours: run.gpuHours + hours * run.gpus, seenMs: Math.max(run.seenMs, nowMs) };
}

function isWorth(run: JobRun, written: number | null, nowMs: number): boolean {
  return written !== null || nowMs - run.startedMs >= SHORTEST_MS;
}

/** Job → its GPUs and instances; of one that is shared its part. */
function gpusOf(devices: readonly DeviceUse[]): Map<string, number> {
  const gpus = new Map<string, number>();
  for (const { device, work, sharedBy } of devices) {
    if (work === null || !/^gpu(?:_instance)?\//.test(device)) continue;
    gpus.set(work, (gpus.get(work) ?? 0) + 1 / Math.max(sharedBy, 1));
  }
  return gpus;
}

function namesOf({ id, aliases, manager, name, user, account, queue, attempt }: Work) {
  return {
    job: short(id),
    aliases: aliases.slice(0, MOST_ALIASES).map(short),
    manager,
    name: shortOrNull(name),
    user: shortOrNull(user),
    account: shortOrNull(account),
    queue: shortOrNull(queue),
    attempt,
  };
}

function short(text: string): string {
  return safeText(text.slice(0, LONGEST).toWellFormed());
}

function shortOrNull(text: string | null): string | null {
  return text === null ? null : short(text);
}
