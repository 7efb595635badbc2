// Lost book: GPU-hours that jobs had and lost, by job, user and cause, over what the incident log holds; a pure function of it.

import type { Incident } from '../../model/incident.ts';
import type { JobRun } from '../../model/job-run.ts';
import type { Kind } from '../../model/kind.ts';
import { type LostSpan, lossesOf } from './losses.ts';

const HOUR_MS = 3_600_000;
/** A job that stood still up to its end is seen to end within this. */
const END_MS = 600_000;

export interface LostTo {
  /** Null: what it was could not be decided. */
  readonly cause: Kind | null;
  readonly gpuHours: number;
  /** Of these so much is work since the last checkpoint, which is to be done again. */
  readonly againGpuHours: number;
  readonly incidents: readonly string[];
}

export interface JobLost {
  /** Null: devices that worked for no job that is known. */
  readonly job: string | null;
  readonly aliases: readonly string[];
  readonly manager: string | null;
  readonly name: string | null;
  readonly user: string | null;
  readonly account: string | null;
  /** GPU-hours that it had here; null where the log has no run of it. */
  readonly heldGpuHours: number | null;
  /** Most first; what could not be decided last. */
  readonly lost: readonly LostTo[];
  /** It stood still up to its end, and no checkpoint is known: what it had done before is not counted, lost or not. */
  readonly noCheckpoint: boolean;
}

export interface Window {
  readonly sinceMs: number;
  readonly untilMs: number;
}

interface Counted {
  readonly span: LostSpan;
  readonly cause: Kind | null;
  readonly incident: string;
  readonly again: boolean;
}

/** Jobs that lost most come first; those that lost nothing come with what they held. */
export function lostByJob(incidents: readonly Incident[], runs: readonly JobRun[], window: Window): JobLost[] {
  const names = new Map(runs.flatMap((run) => [run.job, ...run.aliases].map((name) => [name, run.job] as const)));
  const spans = new Map<string | null, Counted[]>();
  for (const incident of incidents) {
    const cause = incident.rootKnown ? incident.root.kind : null;
    for (const span of lossesOf(incident, window.untilMs)) {
      const job = span.job === null ? null : (names.get(span.job) ?? span.job);
      const list = spans.get(job) ?? [];
      spans.set(job, list);
      list.push({ span: { ...span, job }, cause, incident: incident.id, again: false });
    }
  }
  const byJob = Map.groupBy(runs, ({ job }) => job);
  const jobs = [...new Set([...byJob.keys(), ...spans.keys()])];
  return jobs
    .map((job) => lostOfJob(job, (job === null ? undefined : byJob.get(job)) ?? [], spans.get(job) ?? [], incidents, window)) // biome-ignore format: one line
    .filter(({ lost, heldGpuHours }) => lost.length > 0 || (heldGpuHours ?? 0) > 0)
    .sort((a, b) => total(b) - total(a) || ((a.job ?? '') < (b.job ?? '') ? -1 : 1));
}

/** What it had within the window: as evenly as its GPU-hours lie over its life. */
export function heldDuring({ startedMs, seenMs, gpuHours }: JobRun, { sinceMs, untilMs }: Window): number {
  const lifeMs = seenMs - startedMs;
  const insideMs = Math.min(seenMs, untilMs) - Math.max(startedMs, sinceMs);
  return lifeMs <= 0 || insideMs <= 0 ? 0 : (gpuHours * insideMs) / lifeMs;
}

function lostOfJob(
  job: string | null,
  runs: readonly JobRun[],
  counted: readonly Counted[],
  incidents: readonly Incident[],
  window: Window,
): JobLost {
  const stops = stopsOf(counted);
  const held = counted.flatMap((one) => clipped(one, runs, window, stops));
  const again = runs.map((run) => doneAgain(run, held, window));
  const all = [...held, ...again.flatMap(({ spans }) => spans)];
  const run = runs.at(-1);
  const hit = incidents.flatMap(({ whose = [] }) => whose).find((one) => one.job === job && job !== null);
  const lost = [...Map.groupBy(all, ({ cause }) => cause)].map(([cause, list]): LostTo => {
    const redone = list.filter((one) => one.again);
    return {
      cause,
      gpuHours: hoursOf(list),
      againGpuHours: hoursOf(redone),
      incidents: [...new Set(list.map(({ incident }) => incident))],
    };
  });
  const heldGpuHours = runs.length === 0 ? null : runs.reduce((sum, one) => sum + heldDuring(one, window), 0);
  return {
    job,
    aliases: run?.aliases ?? hit?.aliases ?? [],
    manager: run?.manager ?? hit?.manager ?? null,
    name: run?.name ?? hit?.name ?? null,
    user: run?.user ?? hit?.user ?? null,
    account: run?.account ?? hit?.account ?? null,
    heldGpuHours,
    lost: atMost(lost, heldGpuHours)
      .filter(({ gpuHours }) => gpuHours > 0)
      .sort(byHours),
    noCheckpoint: again.some(({ unknown }) => unknown),
  };
}

/** No more than it had: a run counts from when it was first seen, which may be later than it began to lose. */
function atMost(lost: readonly LostTo[], heldGpuHours: number | null): readonly LostTo[] {
  const sum = lost.reduce((total, { gpuHours }) => total + gpuHours, 0);
  if (heldGpuHours === null || sum <= heldGpuHours) return lost;
  const share = heldGpuHours / sum;
  return lost.map((one) => ({
    ...one,
    gpuHours: one.gpuHours * share,
    againGpuHours: one.againGpuHours * share,
  }));
}

/** When each incident brought the job to a stop. */
function stopsOf(counted: readonly Counted[]): ReadonlyMap<string, number> {
  const stops = new Map<string, number>();
  for (const { span, incident } of counted)
    if (span.stopped) stops.set(incident, Math.min(span.fromMs, stops.get(incident) ?? Infinity));
  return stops;
}

/** A job loses only what it has: within its runs, where the log has these. What stopped one run did not stop the next. */
function clipped(
  one: Counted,
  runs: readonly JobRun[],
  { sinceMs, untilMs }: Window,
  stops: ReadonlyMap<string, number>,
): Counted[] {
  const lives = runs.length === 0 ? [{ startedMs: sinceMs, seenMs: untilMs }] : runs;
  const stopMs = one.span.stopped ? (stops.get(one.incident) ?? null) : null;
  const hit = stopMs === null || runs.length === 0 ? lives : lives.filter(({ startedMs, seenMs }) => startedMs <= stopMs && stopMs <= seenMs); // biome-ignore format: one line
  return hit.flatMap(({ startedMs, seenMs }) => {
    const fromMs = Math.max(one.span.fromMs, startedMs, sinceMs);
    const toMs = Math.min(one.span.toMs, seenMs, untilMs);
    return fromMs < toMs ? [{ ...one, span: { ...one.span, fromMs, toMs } }] : [];
  });
}

/** The work between the last checkpoint and the stop that the run ended with, but for what was lost of it already. */
function doneAgain(run: JobRun, held: readonly Counted[], { sinceMs }: Window): { spans: Counted[]; unknown: boolean } {
  const { startedMs, seenMs, endedMs, savedMs, gpuHours } = run;
  if (endedMs === null || seenMs <= startedMs) return { spans: [], unknown: false };
  const within = held.filter(({ span }) => span.fromMs >= startedMs && span.toMs <= seenMs);
  const last = within.findLast(({ span }) => span.stopped && span.toMs >= seenMs - END_MS);
  if (last === undefined) return { spans: [], unknown: false };
  const stop = Math.min(...within.filter(({ span, incident }) => span.stopped && incident === last.incident).map(({ span }) => span.fromMs)); // biome-ignore format: one line
  if (savedMs === null) return { spans: [], unknown: true };
  const fromMs = Math.max(savedMs, startedMs, sinceMs);
  if (fromMs >= stop) return { spans: [], unknown: false };
  const gpus = (gpuHours * HOUR_MS) / (seenMs - startedMs);
  const lostHours = within.reduce((sum, { span }) => sum + overlap(span, fromMs, stop), 0);
  const restGpus = gpus - (lostHours * HOUR_MS) / (stop - fromMs);
  if (restGpus <= 0) return { spans: [], unknown: false };
  const span: LostSpan = { job: run.job, fromMs, toMs: stop, gpus: restGpus, stopped: false };
  return { spans: [{ ...last, span, again: true }], unknown: false };
}

function overlap({ fromMs, toMs, gpus }: LostSpan, sinceMs: number, untilMs: number): number {
  return (gpus * Math.max(Math.min(toMs, untilMs) - Math.max(fromMs, sinceMs), 0)) / HOUR_MS;
}

function hoursOf(list: readonly Counted[]): number {
  return list.reduce((sum, { span }) => sum + (span.gpus * (span.toMs - span.fromMs)) / HOUR_MS, 0);
}

function byHours(a: LostTo, b: LostTo): number {
  return Number(a.cause === null) - Number(b.cause === null) || b.gpuHours - a.gpuHours;
}

function total({ lost }: JobLost): number {
  return lost.reduce((sum, { gpuHours }) => sum + gpuHours, 0);
}
