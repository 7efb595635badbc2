// Repeat: whether what happened again and again to a device is the device, or the programs that ran on it.

import { ACTIONS, type Action } from '../../model/action.ts';
import type { RepeatEntry } from '../../model/family.ts';
import type { Kind } from '../../model/kind.ts';

export interface Happening {
  readonly kind: Kind;
  readonly timeMs: number;
  readonly pid: number | null;
  /** The job, or else the program; null where neither is known. */
  readonly job: string | null;
  /** "gpc 3, tpc 1, sm 0"; null where none is named. */
  readonly unit: string | null;
}

/** The unit of what one line reports of several parts at once. */
export const SEVERAL_UNITS = 'several';

export interface Repeat {
  readonly action: Action;
  /** Under so many processes or jobs. */
  readonly times: number;
  /** "gpc 3, tpc 1, sm 0"; null where it is the device as a whole. */
  readonly unit: string | null;
}

/** Whether the same happened to another device between these times, ms. */
export type Elsewhere = (kind: Kind, fromMs: number, toMs: number) => boolean;

/** What one process does to a device comes within this time. */
const TOGETHER_MS = 60_000;
/** A launcher starts a program that failed again within minutes: the same program, and the same fault. */
const LEAST_SPAN_MS = 300_000;
/** Names that any job's process has say nothing of which job it is. */
const ANY_JOB = /^(?:python[\d.]*|pt_main_thread|pt_[a-z_]+|ray::.*|torchrun|bash|sh|mpirun|orted|srun)$/;

interface Run {
  pid: number | null;
  readonly job: string | null;
  readonly firstMs: number;
  lastMs: number;
  readonly units: Set<string | null>;
}

/**
 * The same part of the device under several processes, and of no other device at those times, is the device; so is the device
 * under several jobs that are known by their names. One program that faults on many devices, or all over one, is the program.
 */
export function repeatOf(
  rule: RepeatEntry,
  kind: Kind,
  own: readonly Happening[],
  elsewhere: Elsewhere,
  untilMs: number,
): Repeat | null {
  const { times, within_ms: withinMs } = rule;
  const isRecent = ({ kind: of, timeMs }: Happening): boolean =>
    of === kind && timeMs <= untilMs && timeMs >= untilMs - withinMs;
  // Each time is a run of its own: in a storm this is asked at every event, and nearly always ends here.
  if (mostRuns(own, isRecent) < times) return null;
  const recent = own.filter(isRecent);
  const runs = runsOf(withoutBare(recent));
  if (runs.length < times) return null;
  const action = ACTIONS.find((one) => one === rule.action) ?? 'inspect_hardware';
  const alone = runs.filter(({ firstMs, lastMs }) => !elsewhere(kind, firstMs - TOGETHER_MS, lastMs + TOGETHER_MS));
  const last = alone.at(-1);
  if (last === undefined || last !== runs.at(-1)) return null;
  const unit = onlyUnit(last);
  const sameUnit = unit === null ? [] : alone.filter((run) => onlyUnit(run) === unit);
  if (sameUnit.length >= times && last.lastMs - (sameUnit[0]?.firstMs ?? 0) >= LEAST_SPAN_MS)
    return { action, times: sameUnit.length, unit };
  const jobs = new Set(alone.flatMap(({ job }) => (job === null || ANY_JOB.test(job) ? [] : [job])));
  return jobs.size >= times ? { action, times: jobs.size, unit: null } : null;
}

/** Without what says nothing that another one of the same fault does not say too. */
function withoutBare(happenings: readonly Happening[]): readonly Happening[] {
  const named = happenings.filter((one) => !isBare(one));
  if (named.length === 0 || named.length === happenings.length) return happenings;
  return happenings.filter((one) => !isBare(one) || !named.some((other) => isNear(other, one)));
}

/** The driver's event of a fault has its number alone; the kernel's line of the same fault also says where and who. */
function isBare({ pid, job, unit }: Happening): boolean {
  return pid === null && job === null && unit === null;
}

function isNear(a: Happening, b: Happening): boolean {
  return Math.abs(a.timeMs - b.timeMs) <= TOGETHER_MS;
}

/** No fewer than the runs of one kind, found without making any; of a part of what is added they are no more. */
export class MostRuns {
  count = 0;
  #runs = 0;
  #bare = 0;
  #last: Happening | null = null;

  /** In order of time. */
  add(one: Happening): void {
    this.count += 1;
    if (isBare(one)) this.#bare += 1;
    if (this.#last === null || !continues(one, this.#last)) this.#runs += 1;
    this.#last = one;
  }

  get runs(): number {
    // Without those that are left out others are farther apart.
    return this.#bare === 0 || this.#bare === this.count ? this.#runs : this.count;
  }
}

function mostRuns(own: readonly Happening[], isRecent: (one: Happening) => boolean): number {
  const most = new MostRuns();
  for (const one of own) if (isRecent(one)) most.add(one);
  return most.runs;
}

/** It surely belongs to the run of the one before it. */
function continues({ pid, timeMs }: Happening, last: Happening): boolean {
  return pid === null ? timeMs - last.timeMs <= TOGETHER_MS : pid === last.pid;
}

/** One for each process; where none is named, for what came together. */
function runsOf(happenings: readonly Happening[]): Run[] {
  const runs: Run[] = [];
  for (const { pid, job, timeMs, unit } of happenings) {
    const known = runs.find((run) => isOf(run, pid, timeMs));
    if (known === undefined) runs.push({ pid, job, firstMs: timeMs, lastMs: timeMs, units: new Set([unit]) });
    else {
      known.pid ??= pid;
      known.lastMs = timeMs;
      known.units.add(unit);
    }
  }
  return runs;
}

/** The driver's own event of a fault names no process: it belongs to the line that came with it. */
function isOf(run: Run, pid: number | null, timeMs: number): boolean {
  return pid !== null && run.pid !== null ? run.pid === pid : timeMs - run.lastMs <= TOGETHER_MS;
}

/** Further lines and the driver's own event of the same fault name no part: they say nothing against the one that is named. */
function onlyUnit({ units }: Run): string | null {
  const [unit, ...others] = [...units].filter((each) => each !== null);
  return unit === undefined || others.length > 0 || unit === SEVERAL_UNITS ? null : unit;
}
