// Aftermath: what a line means after what was reported before it — what is left is ended, and a watchdog ends its own process.

import { hasRole, type Kind } from '../../../../model/kind.ts';
import type { Fault } from './fault.ts';

/** Besides what is reported of ranks: what a job ends with. */
const ENDS_JOBS: ReadonlySet<Kind> = new Set<Kind>(['host.oom', 'host.down', 'job.gpu_oom', 'job.nan']);
const SIGABRT = 6;
/** How long a scheduler takes to end what is left of a step. */
const ENDS_WITHIN_MS = 120_000;
/** How long after its report the watchdog of a process group ends the process: it waits for dumps. */
const ABORTS_WITHIN_MS = 900_000;

export class Aftermath {
  #failedMs = Number.NEGATIVE_INFINITY;
  #timedOutMs = Number.NEGATIVE_INFINITY;

  /** The fault as it is to be understood here; null where it says nothing of its own. */
  of(fault: Fault, timeMs: number): Fault | null {
    const { afterFailure } = fault;
    if (afterFailure !== undefined && timeMs - this.#failedMs <= ENDS_WITHIN_MS)
      return afterFailure === 'nothing' ? null : { ...fault, kind: afterFailure };
    const meant = this.#byWatchdog(fault, timeMs) ? ended(fault) : fault;
    if (meant.kind === 'job.collective_timeout') this.#timedOutMs = timeMs;
    else if (hasRole(meant.kind, 'job_affected') || ENDS_JOBS.has(meant.kind)) this.#failedMs = timeMs;
    return meant;
  }

  /** The job continues: what was reported before ended nothing. */
  alive(): void {
    this.#failedMs = Number.NEGATIVE_INFINITY;
    this.#timedOutMs = Number.NEGATIVE_INFINITY;
  }

  /** All ranks of a group that timed out abort, one after the other: none of them is the cause. */
  #byWatchdog({ kind, byLauncher, attributes }: Fault, timeMs: number): boolean {
    if (kind !== 'job.rank_crashed' || byLauncher !== true) return false;
    const { signal, how } = attributes ?? {};
    const aborted = signal === SIGABRT || (typeof how === 'string' && how.startsWith('Aborted'));
    return aborted && timeMs - this.#timedOutMs <= ABORTS_WITHIN_MS;
  }
}

function ended(fault: Fault): Fault {
  return { ...fault, kind: 'job.rank_killed', attributes: { ...fault.attributes, by: 'watchdog' } };
}
