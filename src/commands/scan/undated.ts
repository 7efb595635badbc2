// Undated: a log without any time reports what another log of the same host dates. Both are one thing, of the time that is known.

import { causesOf } from '../../correlation/graph/cause-graph.ts';
import { groupPlace } from '../../identity/work/group-place.ts';
import { componentText } from '../../model/component.ts';
import { kindInfo } from '../../model/kind.ts';
import type { EventInput } from '../../model/record.ts';
import { logOf } from './found-events.ts';

/** Lines of two writers on one thing are no further apart. */
const APART_MS = 1000;
/** The same, or what may be behind it, seen again later than this: which time the log without times means is not known. */
const ONE_TIME_MS = 3_600_000;
/** The file was written after its last line; clocks of two machines may differ by this. */
const CLOCKS_MS = 60_000;

export interface Redated {
  /** In the order of time. */
  readonly inputs: readonly EventInput[];
  /** The logs that another one dates. */
  readonly moved: ReadonlySet<string>;
}

/** What dates a log: one of its events, and that of another log which is of the same time. */
interface Dated {
  readonly from: EventInput;
  readonly by: EventInput;
  /** Both are known to be of one thing: nothing from there on was before it. Else the order of the two is open. */
  readonly isSure: boolean;
}

/**
 * The events of one host. `undated`: logs of which no line has a time, so that their events are of when the file was written, with the
 * job that the log is of, null where nothing says it. Such a log is put to the newest event before that which names the same job or
 * process, to the same at the same place, or else to the only time at which something broke that can have ended the job.
 */
export function redated(inputs: readonly EventInput[], undated: ReadonlyMap<string, string | null>): Redated {
  const { inputs: timed, moved } = redatedLogs(inputs, undated);
  return { inputs: redatedLines(timed, undated), moved };
}

function redatedLogs(inputs: readonly EventInput[], undated: ReadonlyMap<string, string | null>): Redated {
  const dated = undated.size === 0 ? [] : inputs.filter((event) => !undated.has(logOf(event)));
  const times = new Map<string, Dated>();
  for (const [log, job] of dated.length === 0 ? [] : undated) {
    const own = inputs.filter((event) => logOf(event) === log);
    const time = sameIn(own, dated, job) ?? causeIn(own, dated, job);
    if (time !== null) times.set(log, time);
  }
  const moved = new Set(times.keys());
  if (moved.size === 0) return { inputs, moved };
  const begun = new Set<string>();
  const timed = inputs.map((event) => {
    const log = logOf(event);
    const time = times.get(log);
    if (time === undefined) return event;
    if (event === time.from && time.isSure) begun.add(log);
    return { ...event, ...timeOf(time.by, begun.has(log)) };
  });
  return { inputs: timed.sort((a, b) => a.timeMs - b.timeMs), moved };
}

/** A line without a time is written after the one whose time it takes, by no more than this. */
const LINE_MS = 600_000;

/**
 * What a line without a time reports in a log that has times is of when the kernel ended the process of the same job, or of when the
 * only thing broke on the host since the line above that can have ended the job; with what is right below it.
 */
function redatedLines(
  inputs: readonly EventInput[],
  undated: ReadonlyMap<string, string | null>,
): readonly EventInput[] {
  const isLoose = (event: EventInput): boolean => isTimeless(event) && !undated.has(logOf(event));
  if (!inputs.some(isLoose)) return inputs;
  const dated = inputs.filter(({ source, state }) => source !== JOB_LOG && state !== 'clear');
  const kernel = dated.filter(({ source }) => source === KERNEL_LOG);
  const begun = new Map<string, Dated>();
  const timed = inputs.map((event) => {
    if (!isLoose(event)) return event;
    const log = logOf(event);
    const above = begun.get(log);
    const isBelow = above !== undefined && event.timeMs - above.from.timeMs < APART_MS;
    const isNear = ({ timeMs }: EventInput) => timeMs >= event.timeMs - APART_MS && timeMs <= event.timeMs + LINE_MS;
    const by = isBelow
      ? above.by
      : (kernel.find((other) => isNear(other) && other.kind === event.kind && sharesName(event, other, null)) ??
        onlyCause(event, dated.filter(isNear)));
    if (by === undefined) return event;
    if (!isBelow) begun.set(log, { from: event, by, isSure: true });
    return { ...event, ...timeOf(by, true) };
  });
  return timed.sort((a, b) => a.timeMs - b.timeMs);
}

/** The first of what can be behind the event; null where nothing can, or where it broke at two times. */
function onlyCause(event: EventInput, near: readonly EventInput[]): EventInput | undefined {
  const causes = causesOf(event.kind);
  const name = jobOf(event);
  const broke = near.filter((other) => {
    const isBehind = other.kind === event.kind || causes.has(other.kind);
    return isBehind && isFault(other) && (jobOf(other) ?? name) === name;
  });
  const [first] = broke;
  const last = broke.at(-1);
  return first === undefined || last === undefined || last.timeMs - first.timeMs > CLOCKS_MS ? undefined : first;
}

/** It has the time of the line before it. */
function isTimeless({ source, attributes }: EventInput): boolean {
  return source === JOB_LOG && attributes?.time_from === 'arrival';
}

const KERNEL_LOG = 'kernel-log';

/** `isAfter`: it reports what happened then, or is below the line that does; of what is above it nothing is known. */
function timeOf({ timeMs, timeDigits = 3, interval }: EventInput, isAfter: boolean): Partial<EventInput> {
  const { earliestMs, latestMs } = interval ?? { earliestMs: timeMs, latestMs: timeMs };
  const fromMs = isAfter ? latestMs + 1 : earliestMs - APART_MS;
  const toMs = isAfter ? fromMs : latestMs + APART_MS;
  return {
    timeMs: isAfter ? fromMs : timeMs,
    timeDigits,
    interval: { earliestMs: fromMs, latestMs: toMs },
    observedMs: toMs,
  };
}

function sameIn(own: readonly EventInput[], dated: readonly EventInput[], job: string | null): Dated | null {
  for (const from of own) {
    const { kind } = from;
    const before = earlier(dated, from).filter((other) => kind === other.kind || causesOf(kind).has(other.kind));
    const named = before.findLast((other) => sharesName(from, other, job));
    const by = named ?? firstOfOneTime(before.filter((other) => isSamePlace(from, other)));
    if (by !== null) return { from, by, isSure: true };
  }
  return null;
}

/** A job's log of which nothing says more than that it ran there. */
function causeIn(own: readonly EventInput[], dated: readonly EventInput[], job: string | null): Dated | null {
  for (const from of own) {
    if (from.source !== JOB_LOG) continue;
    const causes = causesOf(from.kind);
    const name = jobOf(from) ?? job;
    const broke = (other: EventInput) =>
      other.source !== JOB_LOG && causes.has(other.kind) && isFault(other) && (jobOf(other) ?? name) === name;
    const by = firstOfOneTime(earlier(dated, from).filter(broke));
    if (by !== null) return { from, by, isSure: false };
  }
  return null;
}

const JOB_LOG = 'job-log';

function earlier(dated: readonly EventInput[], { timeMs }: EventInput): readonly EventInput[] {
  return dated.filter((other) => other.state !== 'clear' && other.timeMs <= timeMs + CLOCKS_MS);
}

function firstOfOneTime(events: readonly EventInput[]): EventInput | null {
  const [first] = events;
  const last = events.at(-1);
  return first === undefined || last === undefined || last.timeMs - first.timeMs > ONE_TIME_MS ? null : first;
}

/** Both name the same process or job; `job`: whose log the first is of. */
function sharesName(event: EventInput, other: EventInput, job: string | null): boolean {
  const { pid } = event.attributes ?? {};
  if (typeof pid === 'number' && pid === other.attributes?.pid) return true;
  const name = jobOf(event) ?? job;
  return name !== null && name === jobOf(other);
}

/** By its control group, what its line says, or the number of a step; null where none of them names one. */
function jobOf({ component, attributes = {} }: EventInput): string | null {
  const { step, memcg, job } = attributes;
  const grouped = typeof memcg === 'string' ? groupPlace(`0::${memcg}`).batch?.job : undefined;
  const said = grouped ?? (typeof job === 'string' && job !== '' ? job : (workOf(component) ?? step));
  // PBS writes the server behind the number, Slurm the step.
  return typeof said === 'string' ? said.replace(AFTER_NUMBER, '') : null;
}

const AFTER_NUMBER = /(?<=^\d+)\.[\w.+-]+$/;

function workOf(component: EventInput['component']): string | null {
  if (component?.type === 'job') return component.id;
  return component?.type === 'rank' ? component.id.slice(0, component.id.lastIndexOf('/')) : null;
}

function isFault({ kind, severity = kindInfo(kind).severity }: EventInput): boolean {
  return severity === 'error' || severity === 'critical';
}

function isSamePlace({ kind, component }: EventInput, other: EventInput): boolean {
  if (kind !== other.kind || component === null || other.component === null) return false;
  return componentText(component) === componentText(other.component);
}
