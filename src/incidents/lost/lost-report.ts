// Lost report: what the lost book and Slurm's accounting say of the same jobs, as one document.

import { computedTime } from '../../model/documents/fields.ts';
import {
  type JobLostDocument,
  LOST_SCHEMA,
  type LostDocument,
  type LostToDocument,
  type Sums,
} from '../../model/documents/lost.ts';
import type { Incident } from '../../model/incident.ts';
import type { JobRun } from '../../model/job-run.ts';
import { type Accounted, accountedHours } from './accounting.ts';
import { type JobLost, type LostTo, lostByJob, type Window } from './lost-book.ts';

/** Accountings that agree less than this well are worth a note. */
const AGREES_PERCENT = 2;
/** Both count whole seconds: of minutes a per cent means nothing. */
const LEAST_HOURS = 0.1;

/** What is real in the log; of a trial no hour is lost, which the notes say. `accounted` as in `lostDocument`. */
export function lostOf(
  incidents: readonly Incident[],
  runs: readonly JobRun[],
  accounted: readonly Accounted[] | null,
  window: Window,
): LostDocument {
  const real = incidents.filter(({ made }) => made === undefined);
  const document = lostDocument(lostByJob(real, runs, window), accounted, window);
  const trials = incidents.filter(
    ({ made, openedMs, updatedMs, state }) =>
      made !== undefined && openedMs <= window.untilMs && (state === 'open' || updatedMs >= window.sinceMs),
  ).length;
  if (trials === 0) return document;
  const what = trials === 1 ? 'One incident of this time is' : `${trials} incidents of this time are`;
  const note = `${what} simulated or injected: nothing real is behind them, and no hour of theirs is counted as lost.`;
  return { ...document, notes: [...document.notes, trials === 1 ? note.replace('them', 'it').replace('theirs', 'its') : note] }; // biome-ignore format: one line
}

/** `accounted`: of this host; null where no accounting was given. */
export function lostDocument(
  lost: readonly JobLost[],
  accounted: readonly Accounted[] | null,
  { sinceMs, untilMs }: Window,
): LostDocument {
  const byId = Map.groupBy(accounted ?? [], ({ id }) => id);
  const taken = new Set<string>();
  const jobs = lost.map((job): JobLostDocument => {
    const ids = job.job === null ? [] : [job.job, ...job.aliases].filter((name) => byId.has(name));
    for (const id of ids) taken.add(id);
    const own = accounted === null ? null : [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
    return jobDocument(job, own, { sinceMs, untilMs });
  });
  const unseen = [...byId].flatMap(([id, own]) => {
    const job = unseenJob(id, own);
    return taken.has(id) ? [] : [jobDocument(job, own, { sinceMs, untilMs })];
  });
  const all = [...jobs, ...unseen.filter(({ accounted_gpu_hours: hours }) => (hours ?? 0) > 0)];
  return {
    schema: LOST_SCHEMA,
    since: computedTime(sinceMs),
    until: computedTime(untilMs),
    jobs: all,
    users: [...Map.groupBy(all, ({ user }) => user)].map(([user, own]) => ({ user, ...sumOf(own) })),
    causes: causesOf(all),
    sum: sumOf(all),
    notes: notesOf(all, lost),
  };
}

function jobDocument(job: JobLost, accounted: readonly Accounted[] | null, window: Window): JobLostDocument {
  const { sinceMs, untilMs } = window;
  const hours = accounted === null || job.job === null ? null : accounted.reduce((sum, one) => sum + accountedHours(one, sinceMs, untilMs), 0); // biome-ignore format: one line
  const decided = job.lost.filter(({ cause }) => cause !== null);
  const open = job.lost.filter(({ cause }) => cause === null);
  const held = job.heldGpuHours ?? 0;
  return {
    job: job.job,
    aliases: job.aliases,
    manager: job.manager,
    name: job.name,
    user: job.user ?? accounted?.[0]?.user ?? null,
    account: job.account ?? accounted?.[0]?.account ?? null,
    state: accounted?.at(-1)?.state ?? null,
    ...sums(held, hoursOf(decided), hoursOf(open), hours === 0 && accounted?.length === 0 ? null : hours),
    lost_to: job.lost.map(toDocument),
  };
}

function unseenJob(id: string, [first]: readonly Accounted[]): JobLost {
  const names = { name: null, user: first?.user ?? null, account: first?.account ?? null };
  return { job: id, aliases: [], manager: 'slurm', ...names, heldGpuHours: null, lost: [], noCheckpoint: false };
}

function sums(held: number, lost: number, undecided: number, accounted: number | null): Sums {
  return {
    held_gpu_hours: rounded(held),
    lost_gpu_hours: rounded(lost),
    undecided_gpu_hours: rounded(undecided),
    accounted_gpu_hours: accounted === null ? null : rounded(accounted),
    unseen_gpu_hours: accounted === null ? null : rounded(Math.max(accounted - held, 0)),
    difference_percent: accounted === null || accounted <= 0 ? null : Math.round((held / accounted - 1) * 1e4) / 100,
  };
}

/** Held against accounted only of jobs that the accounting has. */
function sumOf(jobs: readonly JobLostDocument[]): Sums {
  const sum = (of: (job: JobLostDocument) => number) => jobs.reduce((total, job) => total + of(job), 0);
  const accounted = jobs.filter((job) => job.accounted_gpu_hours !== null);
  const hours = accounted.length === 0 ? null : sum((job) => job.accounted_gpu_hours ?? 0);
  const heldOfThese = accounted.reduce((total, job) => total + job.held_gpu_hours, 0);
  return {
    ...sums(sum((job) => job.held_gpu_hours), sum((job) => job.lost_gpu_hours), sum((job) => job.undecided_gpu_hours), hours), // biome-ignore format: one line
    unseen_gpu_hours: hours === null ? null : rounded(sum((job) => job.unseen_gpu_hours ?? 0)),
    difference_percent: hours === null || hours <= 0 ? null : Math.round((heldOfThese / hours - 1) * 1e4) / 100,
  };
}

function causesOf(jobs: readonly JobLostDocument[]): LostToDocument[] {
  const all = jobs.flatMap(({ lost_to }) => lost_to).filter(({ cause }) => cause !== null);
  return [...Map.groupBy(all, ({ cause }) => cause)]
    .map(([cause, list]) => ({
      cause,
      gpu_hours: rounded(list.reduce((sum, one) => sum + one.gpu_hours, 0)),
      again_gpu_hours: rounded(list.reduce((sum, one) => sum + one.again_gpu_hours, 0)),
      incidents: [...new Set(list.flatMap(({ incidents }) => incidents))],
    }))
    .sort((a, b) => b.gpu_hours - a.gpu_hours);
}

function notesOf(jobs: readonly JobLostDocument[], lost: readonly JobLost[]): string[] {
  const apart = jobs.filter(
    ({ difference_percent: percent, accounted_gpu_hours: hours }) =>
      percent !== null && Math.abs(percent) > AGREES_PERCENT && (hours ?? 0) >= LEAST_HOURS,
  );
  const unsaved = lost.filter(({ noCheckpoint }) => noCheckpoint).length;
  const unrun = lost.filter(({ heldGpuHours, job }) => heldGpuHours === null && job !== null).length;
  const of = (count: number, one: string, many: string): string => `${count} of the jobs ${count === 1 ? one : many}`;
  return [
    ...(apart.length === 0 ? [] : [`${of(apart.length, 'differs', 'differ')} from the accounting by more than ${AGREES_PERCENT} %: the daemon did not run then, or did not see all the GPUs`]), // biome-ignore format: one line
    ...(unsaved === 0 ? [] : [`${of(unsaved, 'stood still up to its end and no checkpoint of it is known: what it', 'stood still up to their end and no checkpoint of them is known: what they')} had done before is not counted`]), // biome-ignore format: one line
    ...(unrun === 0 ? [] : [`${of(unrun, 'has no run in the log: what it', 'have no run in the log: what they')} held is not known`]), // biome-ignore format: one line
  ];
}

function toDocument({ cause, gpuHours, againGpuHours, incidents }: LostTo): LostToDocument {
  return { cause, gpu_hours: rounded(gpuHours), again_gpu_hours: rounded(againGpuHours), incidents };
}

function hoursOf(lost: readonly LostTo[]): number {
  return lost.reduce((sum, { gpuHours }) => sum + gpuHours, 0);
}

/** Six digits: a few milliseconds of one GPU. */
function rounded(hours: number): number {
  return Math.round(hours * 1e6) / 1e6;
}
