// Words of schedulers in a job's log: cancelled, preempted, out of time or memory, or ended because a node failed.

import type { Fault } from './fault.ts';

const CANCELLED = /\*\*\* (?:JOB|STEP) (\S{1,40}) ON \S{1,128} CANCELLED AT \S{1,40}(?: DUE TO ([A-Z ]{1,40}))?/;
const NODE = /^srun: error: Node failure on ([A-Za-z0-9][\w.-]{0,127})/;
/** LSF and PBS: "TERM_RUNLIMIT: job killed after reaching LSF run time limit.", "=>> PBS: job killed: walltime 3605 exceeded limit 3600". */
const LIMIT = /^(?:TERM_RUNLIMIT: job killed|=>> PBS: job killed: walltime )/;
const MEMORY =
  /^slurmstepd: error: Detected \d{1,6} oom[_-]kill event|^TERM_MEMLIMIT: job killed|^=>> PBS: job killed: mem /;

export function schedulerLine(body: string): Fault | null {
  const node = NODE.exec(body.slice(0, 200))?.[1];
  if (node !== undefined) return { kind: 'host.down', place: { host: node } };
  if (LIMIT.test(body)) return { kind: 'job.cancelled', place: 'job', attributes: { reason: 'time limit' } };
  if (MEMORY.test(body)) return { kind: 'host.oom', place: 'host', attributes: { told_by: 'scheduler' } };
  const found = CANCELLED.exec(body.slice(0, 320));
  if (found === null) return null;
  const reason = found[2]?.trim().toLowerCase() ?? null;
  const attributes = { step: found[1] ?? null, reason };
  if (reason === null || reason === 'time limit') return { kind: 'job.cancelled', place: 'job', attributes };
  if (reason === 'preemption') return { kind: 'job.preempted', place: 'job', attributes };
  if (reason === 'job requeue') return { kind: 'job.requeued', place: 'job', attributes };
  // Whatever the reason, it was the scheduler that ended it here: a failed node is reported by a line of its own.
  return { kind: 'job.cancelled', place: 'job', attributes };
}
