// What became of a job, by what slurmctld says of it now and said before.

import type { SlurmJob } from '../read/job.ts';

/** Base states of a job that is over; sinfo and squeue call the others pending, running or suspended. */
const OVER = [
  'COMPLETED',
  'CANCELLED',
  'FAILED',
  'TIMEOUT',
  'NODE_FAIL',
  'PREEMPTED',
  'BOOT_FAIL',
  'DEADLINE',
  'OUT_OF_MEMORY',
] as const;
const WAITS: ReadonlySet<string> = new Set(['PENDING', 'REQUEUED', 'REQUEUE_HOLD', 'REQUEUE_FED', 'SPECIAL_EXIT']);

export type OverState = (typeof OVER)[number];

/** over: with its state. requeued: it waits, or runs, again. unclear: it is on its way. */
export type Outcome =
  | { readonly type: 'runs' }
  | { readonly type: 'unclear' }
  | { readonly type: 'over'; readonly state: OverState }
  | { readonly type: 'requeued' };

/** It waits for nodes, after it had some. */
export function waits({ states }: SlurmJob): boolean {
  return states.some((state) => WAITS.has(state));
}

/** `before`: of the same job while it ran here; null where it was not known then. */
export function outcomeOf(job: SlurmJob, before: SlurmJob | null): Outcome {
  const ranAgain = before?.restarts != null && job.restarts !== null && job.restarts > before.restarts;
  if (ranAgain || (waits(job) && (before !== null || (job.restarts ?? 0) > 0))) return { type: 'requeued' };
  const state = OVER.find((each) => job.states.includes(each));
  if (state !== undefined) return { type: 'over', state };
  return { type: waits(job) || job.states.includes('COMPLETING') || job.states.length === 0 ? 'unclear' : 'runs' };
}
