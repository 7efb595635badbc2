// Events of a job by its scheduler's word: that it began, how it ended, that it runs again.

import { hostsOf } from '../../../helpers/host-list.ts';
import type { Attributes } from '../../../model/event.ts';
import type { Kind } from '../../../model/kind.ts';
import type { EventInput } from '../../../model/record.ts';
import type { Severity } from '../../../model/severity.ts';
import type { Link } from '../../../model/topology.ts';
import { jobId, type SlurmJob } from '../read/job.ts';
import type { OverState } from './outcome.ts';

export const SOURCE = 'slurm';
/** Slurm's times are whole seconds. */
const RESOLUTION_MS = 999;
/** A shell that its user ended by Ctrl-C gives 128 + SIGINT. */
const INTERRUPTED = 130;

export interface EventContext {
  readonly host: string;
  /** What Slurm calls this host. */
  readonly node: string;
  readonly nowMs: number;
  /** Epoch ms on the steady clock of what the wall clock showed. */
  readonly steady: (wallMs: number) => number;
}

export function startedEvent(job: SlurmJob, context: EventContext): EventInput {
  return jobEvent('job.started', job, job.startedMs, {}, context);
}

/** It waits or runs again: preempted where Slurm says so. */
export function requeuedEvent(job: SlurmJob, before: SlurmJob | null, context: EventContext): EventInput {
  const { preemptedMs, submittedMs } = job;
  // Slurm counts a job that it queues again as submitted then.
  const againMs = submittedMs !== null && submittedMs > (before?.startedMs ?? submittedMs) ? submittedMs : null;
  const wasPreempted = preemptedMs !== null && preemptedMs >= (before?.startedMs ?? preemptedMs);
  const attributes = { requeued: true, reason: wasPreempted ? 'preemption' : 'requeue', restarts: job.restarts };
  return jobEvent(
    wasPreempted ? 'job.preempted' : 'job.requeued',
    job,
    wasPreempted ? preemptedMs : againMs,
    attributes,
    context,
  );
}

/** Slurm has forgotten it, or does not show it to us: that it is over is all that is known. */
export function forgottenEvent(job: Pick<SlurmJob, 'number' | 'array'>, context: EventContext): EventInput {
  return eventOf('job.ended', jobId(job), null, { state: null }, String(job.number), context);
}

export function endEvents(job: SlurmJob, state: OverState, context: EventContext): EventInput[] {
  const { kind, reason, severity } = meaningOf(job, state);
  const attributes: Attributes = {
    state,
    ...(reason === null ? {} : { reason }),
    exit_code: job.exit?.code ?? null,
    exit_signal: job.exit?.signal || null,
    ...(job.failedNode === null ? {} : { failed_node: job.failedNode }),
  };
  const end = jobEvent(kind, job, job.endMs, attributes, context);
  return [...causesOf(job, state, context), severity === null ? end : { ...end, severity }];
}

interface Meaning {
  readonly kind: Kind;
  readonly reason: string | null;
  readonly severity: Severity | null;
}

function meaningOf({ exit, reason, hasGpus }: SlurmJob, state: OverState): Meaning {
  const planned = (kind: Kind, why: string | null): Meaning => ({ kind, reason: why, severity: null });
  switch (state) {
    case 'COMPLETED':
      return planned('job.ended', null);
    case 'CANCELLED':
      return planned('job.cancelled', reason ?? 'cancelled');
    case 'TIMEOUT':
      return planned('job.cancelled', 'time limit');
    case 'DEADLINE':
      return planned('job.cancelled', 'deadline');
    case 'PREEMPTED':
      return planned('job.preempted', 'preemption');
    default:
  }
  if (state === 'FAILED' && exit?.code === INTERRUPTED) return planned('job.ended', 'interrupted by its user');
  // A command that returns 1 is a daily matter where no accelerator waited for it.
  const isMinor = state === 'FAILED' && (exit?.signal ?? 0) === 0 && !hasGpus;
  if (state === 'NODE_FAIL') return { kind: 'job.node_failed', reason: reason ?? 'node failure', severity: null };
  return { kind: 'job.failed', reason, severity: isMinor ? 'warning' : null };
}

/** What Slurm says besides: memory that ran out here, a node that is gone. */
function causesOf(job: SlurmJob, state: OverState, context: EventContext): EventInput[] {
  const { host, node } = context;
  const reported = { told_by: 'scheduler', job: jobId(job) };
  const of = (kind: Kind, id: string, reason: string): EventInput => {
    const event = jobEvent(kind, job, job.endMs, { ...reported, reason }, context);
    return { ...event, component: { type: 'host', id } };
  };
  // Of a job on several hosts it may have been the memory of another.
  if (state === 'OUT_OF_MEMORY' && job.nodes !== null && hostsOf(job.nodes).length === 1)
    return [of('host.oom', host, 'out of memory')];
  // This host answers: it was only out of Slurm's reach.
  if (
    state === 'NODE_FAIL' &&
    job.failedNode !== null &&
    job.failedNode !== node &&
    /^[\w.-]{1,253}$/.test(job.failedNode)
  )
    return [of('host.down', job.failedNode, 'node failure')];
  return [];
}

/** Of the event of another host of a job: that the job ran there. */
export function failedNode({ kind, component, attributes }: EventInput): Link | null {
  if (kind !== 'host.down' || component === null || typeof attributes?.job !== 'string') return null;
  return { from: component, to: { type: 'job', id: attributes.job }, relation: 'runs', source: 'host' };
}

function jobEvent(
  kind: Kind,
  job: SlurmJob,
  wallMs: number | null,
  more: Attributes,
  context: EventContext,
): EventInput {
  const { user, account, partition, name } = job;
  const whose = { user, account, partition, job_name: name, slurm_job_id: job.number };
  return eventOf(kind, jobId(job), wallMs, { ...more, ...whose }, `${job.number}/${job.restarts ?? 0}`, context);
}

/** `wallMs`: null where Slurm does not say when. */
function eventOf(
  kind: Kind,
  id: string,
  wallMs: number | null,
  attributes: Attributes,
  which: string,
  { nowMs, steady }: EventContext,
): EventInput {
  const said = wallMs === null ? nowMs : steady(wallMs);
  const timeMs = Math.min(said, nowMs);
  const words = Object.entries(attributes).flatMap(([key, value]) => (value === null ? [] : [`${key}=${value}`]));
  return {
    kind,
    component: { type: 'job', id },
    timeMs,
    observedMs: nowMs,
    ...(wallMs === null ? {} : { interval: { earliestMs: timeMs, latestMs: Math.min(nowMs, timeMs + RESOLUTION_MS) } }),
    trust: 'system',
    state: 'point',
    source: SOURCE,
    attributes,
    evidence: [{ source: SOURCE, timeMs, text: `job ${id}: ${words.join(' ')}`.slice(0, 500) }],
    discriminator: `${which}/${kind}`,
  };
}
