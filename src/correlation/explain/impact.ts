// Impact: what the cluster did to jobs and devices, with numbers and units, and how many GPUs did nothing for it.

import { eventTitle } from '../../model/event-title.ts';
import type { Impact, Loss, WorkTrace } from '../../model/incident.ts';
import { type Kind, kindInfo } from '../../model/kind.ts';
import { plain } from '../../model/plain.ts';
import { parseTraceparent } from '../../model/trace.ts';
import type { Assigned, Condition } from '../belief/condition.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import { onlyTenant } from '../window/facts.ts';
import { type Change, changeOf, changeText, nameOf } from './plain-names.ts';

export interface ImpactContext {
  readonly topology: TopologyIndex;
  readonly ofKind: (kind: Kind) => readonly Condition[];
}

const MAX_IMPACTS = 16;
const LONGEST_JOB = 64;
const MAX_TRACES = 10;
/** A line of a log is read within this time of being written. */
const READ_WITHIN_MS = 60_000;
/** A log that falls silent is a hang after half an hour at the latest, in jobs whose steps are not longer. */
const HANG_MS = 1_800_000;
/** The job does nothing at all any more; what other kinds cost a job is known by their numbers. */
const STOPS_JOB: ReadonlySet<Kind> = new Set<Kind>([
  'job.hang',
  'job.collective_timeout',
  'job.collective_desync',
  'job.rank_crashed',
  'job.rank_killed',
]);

export function impactOf(members: readonly Assigned[], context: ImpactContext): Impact[] {
  const impacts: Impact[] = [];
  for (const { condition } of members) {
    const { losesLoad, affectsJob } = condition.roles;
    if (!losesLoad && !affectsJob) continue;
    // That a device is gone is nothing that a job's log decides.
    if (losesLoad && onlyTenant(condition)) continue;
    const impact = impactOfCondition(condition, members, context);
    const traces = tracesOf(condition);
    if (impact !== null) impacts.push(traces.length === 0 ? impact : { ...impact, traces });
    if (impacts.length >= MAX_IMPACTS) break;
  }
  return impacts;
}

function impactOfCondition(condition: Condition, members: readonly Assigned[], context: ImpactContext): Impact | null {
  const { component, kind } = condition;
  if (component === null) return null;
  const name = nameOf(component, context.topology.host);
  if (condition.roles.losesLoad) {
    const text = lostText(condition, name, members);
    const impact = { component, quantity: 'lost', before: 1, after: 0, unit: '1', text };
    return withLoss(impact, lossOfDevice(condition, context.topology));
  }
  const change = changeOf(condition.first.attributes);
  const loss = lossOfJob(condition, change, context);
  if (change === null) {
    const text = `${name}: ${eventTitle(kind, condition.first.attributes)}`;
    return withLoss({ component, quantity: kind, before: null, after: null, unit: '', text }, loss);
  }
  const { before, after, unit, quantity } = change;
  const text = `${name} ${quantity.replaceAll('_', ' ')} ${changeText(change)}`;
  return withLoss(
    { component, quantity: isRate(change) ? 'throughput' : quantity.replaceAll(' ', '_'), before, after, unit, text },
    loss,
  );
}

/** A host that a part is missing from, or that does not answer, is not lost itself. */
function lostText({ component, kind, endMs, events }: Condition, name: string, members: readonly Assigned[]): string {
  if (component?.type !== 'host') return `${name} is lost`;
  if (kind !== 'host.down') return `${name}: ${kindInfo(kind).title}`;
  const text = endMs === null ? `${name} does not answer` : `${name} did not answer for a while`;
  const job = events.flatMap(({ attributes }) => (typeof attributes.job === 'string' ? [attributes.job] : [])).at(0);
  if (job === undefined || members.some((member) => saysOfJob(member, job))) return text;
  return `${text}, and job ${plain(job, LONGEST_JOB)} ended there`;
}

/** What it cost the job is an impact of its own then. */
function saysOfJob({ condition: { component, roles, rankJob } }: Assigned, job: string): boolean {
  return roles.affectsJob && (component?.type === 'job' ? component.id : rankJob) === job;
}

/** Of the requests to a service; a later event knows of worse ones, and repeats none. */
function tracesOf({ component, events }: Condition): WorkTrace[] {
  if (component?.type !== 'service') return [];
  const found = new Map<string, WorkTrace>();
  for (const { attributes } of events) {
    for (const text of String(attributes.worst_traces ?? '').split(' ')) {
      const context = parseTraceparent(text);
      if (context !== null) found.set(context.traceId, { traceId: context.traceId, spanId: context.spanId });
    }
  }
  return [...found.values()].slice(0, MAX_TRACES);
}

function withLoss(impact: Impact, loss: Loss | null): Impact {
  return loss === null ? impact : { ...impact, loss };
}

function isRate({ unit }: Change): boolean {
  return unit.includes('/s');
}

function lossOfDevice({ component, onsetMs, endMs }: Condition, topology: TopologyIndex): Loss | null {
  if (component === null) return null;
  const gpus = component.type === 'gpu' ? 1 : component.type === 'host' ? topology.gpusIn(component.id) : 0;
  return gpus === 0 ? null : { gpus, share: 1, fromMs: onsetMs, toMs: endMs, rate: null };
}

function lossOfJob(condition: Condition, change: Change | null, context: ImpactContext): Loss | null {
  const { component, kind, onset, onsetMs, endMs } = condition;
  if (component === null) return null;
  if (component.type === 'service') {
    const gpus = context.topology.gpusOfService(component.id);
    const share = change === null ? null : slowdown(change);
    const fromMs = borneOut(condition, onsetMs);
    return gpus === null || share === null ? null : { gpus, share, fromMs, toMs: endMs, rate: null };
  }
  const job = component.type === 'job' ? component.id : condition.rankJob;
  const gpus = job === null ? null : context.topology.gpusOfJob(job);
  if (job === null || gpus === null) return null;
  if (STOPS_JOB.has(kind)) {
    // A hang began with the last sign of life; a crash lasts until the job starts again, though it is reported in a moment.
    const fromMs = kind === 'job.hang' ? borneOut(condition, onset.earliestMs, HANG_MS) : borneOut(condition, onsetMs);
    const toMs = kind === 'job.hang' ? endMs : startAfter(job, onsetMs, context);
    return { gpus, share: 1, fromMs, toMs, rate: null };
  }
  const share = change === null ? null : slowdown(change);
  // A rank that is slow against itself while others are not holds up only its own GPU.
  const held = component.type === 'rank' ? 1 : gpus;
  return share === null ? null : { gpus: held, share, fromMs: borneOut(condition, onsetMs), toMs: endMs, rate: null };
}

/**
 * Hours are never counted from a time that a tenant wrote: what only tenants report began, at the earliest, so long before it was
 * read by the clock of this host.
 */
function borneOut(condition: Condition, claimedMs: number, leastMs = READ_WITHIN_MS): number {
  if (!onlyTenant(condition)) return claimedMs;
  const readMs = Math.min(...condition.events.map(({ observedMs }) => observedMs));
  return Number.isFinite(readMs) ? Math.min(Math.max(claimedMs, readMs - leastMs), readMs) : claimedMs;
}

function startAfter(job: string, atMs: number, { ofKind }: ImpactContext): number | null {
  let firstMs: number | null = null;
  for (const { component, onsetMs } of ofKind('job.started')) {
    if (component?.type !== 'job' || component.id !== job || onsetMs <= atMs) continue;
    if (firstMs === null || onsetMs < firstMs) firstMs = onsetMs;
  }
  return firstMs;
}

/** Share of the work that is not done: of steps that take 412 → 897 ms, 54 %. Null where the numbers are none of speed. */
function slowdown(change: Change): number | null {
  const { before, after, unit } = change;
  if (!(before > 0) || !(after > 0)) return null;
  const done = isRate(change) ? after / before : unit === 'ms' || unit === 's' ? before / after : null;
  return done === null ? null : Math.round(Math.min(Math.max(1 - done, 0), 1) * 1e4) / 1e4;
}
