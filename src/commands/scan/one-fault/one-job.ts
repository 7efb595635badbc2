// One job: that a program of it ended, or waited for a peer, is what any of its faults looks like; what its own lines name in the same seconds is
// why.

import { causesOf } from '../../../correlation/graph/cause-graph.ts';
import type { FaultEvent } from '../../../model/event.ts';
import type { Incident } from '../../../model/incident.ts';
import type { Kind } from '../../../model/kind.ts';
import { logOf } from '../found-events.ts';
import { type Group, isRooted, rootOf } from './groups.ts';

/** A program that fails prints its traceback at once. */
const AT_ONCE_MS = 10_000;
/** What its peers and its launcher say of it, below its own words. */
const BELOW: ReadonlySet<Kind> = new Set<Kind>(['job.collective_timeout', 'job.rank_killed', 'job.peer_failure']);

/** Groups of the ends of a job, each with the only other fault that its lines name then. */
export function ofOneJob(incidents: readonly Incident[]): Group[] {
  const faults = incidents.filter((one) => one.made === undefined && isOfJobLog(one));
  const groups = new Map<Incident, Incident[]>();
  for (const end of faults) {
    if (end.root.component?.type !== 'job' && end.root.component?.type !== 'rank') continue;
    const [lead, ...others] = faults.filter((one) => one !== end && isWhy(one, end));
    if (lead !== undefined && others.length === 0) groups.set(lead, [...(groups.get(lead) ?? []), end]);
  }
  return [...groups].map(([lead, others]) => ({ lead, others }));
}

function isWhy(one: Incident, end: Incident): boolean {
  if (one.root.kind === end.root.kind || !isOfOneWriter(one, end)) return false;
  if (end.root.kind === 'job.rank_crashed') {
    if (jobOf(one) !== null && jobOf(one) === jobOf(end))
      return isRooted(one) && isRooted(end) && Math.abs(one.openedMs - end.openedMs) <= AT_ONCE_MS;
    return isInOneLog(one, end) && (one.root.component?.type === 'job' || isAbove(one, end));
  }
  return BELOW.has(end.root.kind) && mayEnd(one, end) && isInOneLog(one, end) && isAbove(one, end);
}

/** What ends a rank leaves its peers waiting. */
function mayEnd({ root: { kind } }: Incident, end: Incident): boolean {
  return causesOf(end.root.kind).has(kind) || causesOf('job.rank_crashed').has(kind);
}

/** Two ranks may fail of two things. */
function isOfOneWriter({ root: { component: one } }: Incident, { root: { kind, component: end } }: Incident): boolean {
  return kind !== 'job.rank_crashed' || one?.type !== 'rank' || one.id === end?.id;
}

function isInOneLog(one: Incident, end: Incident): boolean {
  const [why, ended] = [rootOf(one), rootOf(end)];
  if (why === undefined || ended === undefined || logOf(why) === '' || logOf(why) !== logOf(ended)) return false;
  return Math.abs(why.timeMs - ended.timeMs) <= AT_ONCE_MS;
}

/** In a line that has no time itself, which is then that of a line below it. */
function isAbove(one: Incident, end: Incident): boolean {
  const [why, ended] = [rootOf(one), rootOf(end)];
  return why?.attributes.time_from === 'arrival' && lineOf(why) < lineOf(ended);
}

function lineOf(event: FaultEvent | undefined): number {
  const [first] = event?.evidence ?? [];
  const place = first !== undefined && 'text' in first ? (first.place ?? '') : '';
  return Number(/:(\d+)$/.exec(place)?.[1] ?? 0);
}

function isOfJobLog(one: Incident): boolean {
  return rootOf(one)?.source === 'job-log';
}

function jobOf({ root: { component } }: Incident): string | null {
  return component?.type === 'job' ? component.id : null;
}
