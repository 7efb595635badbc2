// Aftermath: what a line means after what was reported before it — what is left is ended, and a watchdog ends its own process.

import { hasRole, type Kind } from '../../../../model/kind.ts';
import type { RankLabel } from '../../../../model/rank-label.ts';
import type { Fault } from './fault.ts';

/** Besides what is reported of ranks: what a job ends with. */
const ENDS_JOBS: ReadonlySet<Kind> = new Set<Kind>(['host.oom', 'host.down', 'job.gpu_oom', 'job.nan']);
/** What a program's end follows from, as it says itself. */
const OF_DEVICE = /^(?:gpu|nvlink)\./;
/** A node is gone, and the scheduler ends the tasks on all of them. */
const OF_NODE: ReadonlySet<Kind> = new Set<Kind>(['host.down', 'job.node_failed']);
const ENDS_OF_TASKS: ReadonlySet<Kind> = new Set<Kind>(['job.rank_killed', 'job.rank_crashed']);
const SIGABRT = 6;
/** How long a scheduler takes to end what is left of a step. */
const ENDS_WITHIN_MS = 120_000;
/** How long after its report the watchdog of a process group ends the process: it waits for dumps. */
const ABORTS_WITHIN_MS = 900_000;
const MOST_RANKS = 1024;
/** Steps that the other ranks still end while the launcher of one that died reports it, in one log for all. */
export const STEPS_AFTER = 2;

export class Aftermath {
  #failedMs = Number.NEGATIVE_INFINITY;
  #timedOutMs = Number.NEGATIVE_INFINITY;
  #crashedMs = Number.NEGATIVE_INFINITY;
  /** When a rank said that its GPU had failed. */
  #deviceMs = Number.NEGATIVE_INFINITY;
  /** When the scheduler said that a node was gone. */
  #nodeMs = Number.NEGATIVE_INFINITY;
  /** Steps since the last fault. */
  #steps = 0;
  /** Ranks that reported that a peer was gone, with the time: their watchdogs end them. */
  readonly #lostPeer = new Map<number, number>();
  readonly #rankOf: (label: RankLabel) => number | null;

  /** `rankOf`: which rank of the job a label means, where that is known. */
  constructor(rankOf: (label: RankLabel) => number | null = () => null) {
    this.#rankOf = rankOf;
  }

  /** Faults that one line reports, as they are to be understood here. */
  of(faults: readonly Fault[], timeMs: number): Fault[] {
    if (faults.length > 0) this.#steps = 0;
    // A table may list the rank that crashed behind those that it ended.
    if (faults.some((fault) => fault.kind === 'job.rank_crashed' && !this.#isOfPeer(fault, timeMs)))
      this.#crashedMs = timeMs;
    return faults.flatMap((fault) => this.#one(fault, timeMs) ?? []);
  }

  #isOfPeer(fault: Fault, timeMs: number): boolean {
    return isAbort(fault) && (this.#lostItsPeer(fault, timeMs) || timeMs - this.#timedOutMs <= ABORTS_WITHIN_MS);
  }

  /** Null where it says nothing of its own. */
  #one(fault: Fault, timeMs: number): Fault | null {
    const { afterFailure } = fault;
    if (afterFailure !== undefined && timeMs - this.#failedMs <= ENDS_WITHIN_MS)
      return afterFailure === 'nothing' ? null : { ...fault, kind: afterFailure };
    if (afterFailure === 'nothing' && timeMs - this.#deviceMs <= ENDS_WITHIN_MS) return null;
    if (timeMs - this.#nodeMs <= ENDS_WITHIN_MS && isEndOfTask(fault)) return null;
    if (OF_NODE.has(fault.kind)) this.#nodeMs = timeMs;
    if (OF_DEVICE.test(fault.kind)) this.#deviceMs = timeMs;
    const meant = this.#meant(fault, timeMs);
    if (meant === null) return null;
    this.#note(meant, timeMs);
    if (meant.kind === 'job.collective_timeout') this.#timedOutMs = timeMs;
    else if (hasRole(meant.kind, 'job_affected') || ENDS_JOBS.has(meant.kind)) this.#failedMs = timeMs;
    return meant;
  }

  /** A step ended, or training begins again: the job continues, and what was reported before ended nothing. */
  alive(begins: boolean): void {
    this.#steps += 1;
    if (!begins && this.#steps <= STEPS_AFTER) return;
    this.#failedMs = Number.NEGATIVE_INFINITY;
    this.#timedOutMs = Number.NEGATIVE_INFINITY;
    this.#crashedMs = Number.NEGATIVE_INFINITY;
    this.#deviceMs = Number.NEGATIVE_INFINITY;
    this.#nodeMs = Number.NEGATIVE_INFINITY;
    if (this.#lostPeer.size > 0) this.#lostPeer.clear();
  }

  /** Null of a rank that reported that its peer is gone, where it is known which rank that was. */
  #meant(fault: Fault, timeMs: number): Fault | null {
    if (!isAbort(fault)) return fault;
    const lost = this.#lostItsPeer(fault, timeMs);
    if (lost && timeMs - this.#crashedMs <= ABORTS_WITHIN_MS) return null;
    if (!lost && timeMs - this.#timedOutMs > ABORTS_WITHIN_MS) return fault;
    return { ...fault, kind: 'job.rank_killed', attributes: { ...fault.attributes, by: 'watchdog' } };
  }

  /** What a rank reports of its peers, the watchdog of its process group then ends it for. */
  #note({ kind, place, rank, byLauncher }: Fault, timeMs: number): void {
    if (kind !== 'job.peer_failure' || place !== 'rank' || byLauncher === true || rank?.means !== 'global') return;
    if (this.#lostPeer.size < MOST_RANKS || this.#lostPeer.has(rank.number)) this.#lostPeer.set(rank.number, timeMs);
  }

  #lostItsPeer({ rank }: Fault, timeMs: number): boolean {
    if (rank === undefined || rank === null) return false;
    const number = this.#rankOf(rank) ?? (rank.means === 'global' ? rank.number : -1);
    const sinceMs = this.#lostPeer.get(number);
    return sinceMs !== undefined && timeMs - sinceMs <= ABORTS_WITHIN_MS;
  }
}

/** As the launcher reports it; what ran out of memory did so by itself. */
function isEndOfTask({ kind, byLauncher, attributes }: Fault): boolean {
  const how = attributes?.how;
  const isSaid = byLauncher === true || typeof how === 'string';
  return isSaid && ENDS_OF_TASKS.has(kind) && !String(how ?? '').startsWith('Out Of Memory');
}

/** All ranks of a group that timed out, or lost a peer, abort, one after the other: none of them is the cause. */
function isAbort({ kind, byLauncher, attributes }: Fault): boolean {
  if (kind !== 'job.rank_crashed' || byLauncher !== true) return false;
  const { signal, how } = attributes ?? {};
  return signal === SIGABRT || (typeof how === 'string' && how.startsWith('Aborted'));
}
