// The processes of jobs in an accuracy run: as the table of processes has them, until they end.

import type { Work, WorkRank } from '../../identity/work/work.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import type { PlannedJob } from '../scenario/world.ts';
import type { DaemonLife } from './daemon-life.ts';
import type { Actor, Stage } from './stage.ts';

const FIRST_PID = 40_000;
/** Further apart than a job has ranks on a host. */
const BETWEEN_JOBS = 1000;

export class JobProcesses implements Actor {
  readonly #stage: Stage;
  readonly #life: DaemonLife;
  /** Ranks by job. */
  readonly #alive = new Map<PlannedJob, Set<number>>();

  constructor(stage: Stage, life: DaemonLife) {
    this.#stage = stage;
    this.#life = life;
    for (const job of stage.plan.world.jobs) this.#alive.set(job, new Set(job.ranks));
  }

  start(): void {
    this.#show();
  }

  restart(rebooted: boolean): void {
    if (rebooted) for (const ranks of this.#alive.values()) ranks.clear();
    this.#show();
  }

  begin(change: PlannedChange): void {
    if (change.type !== 'rank_end' && change.type !== 'job_end') return;
    for (const [job, ranks] of this.#alive) {
      if (job.id !== change.job) continue;
      // A launcher ends the others; without one they wait for it.
      if (change.type === 'rank_end' && change.launcher === 'none') ranks.delete(change.rank);
      else ranks.clear();
    }
    this.#show();
  }

  #show(): void {
    if (this.#alive.size === 0 || !this.#stage.isHere()) return;
    const works = [...this.#alive].map(([job, ranks], at) => workOf(job, ranks, FIRST_PID + at * BETWEEN_JOBS));
    this.#life.pipeline.work({ works, devices: [], conflicts: [] });
  }
}

function workOf({ id, worldSize }: PlannedJob, alive: ReadonlySet<number>, firstPid: number): Work {
  const ranks = [...alive].sort((a, b) => a - b);
  return {
    id,
    aliases: [],
    manager: 'process',
    name: null,
    user: null,
    account: null,
    queue: null,
    pods: [],
    ranks: ranks.map((rank, at): WorkRank => rankOf(rank, at, firstPid + rank)),
    worldSize,
    framework: null,
    logs: [],
    step: null,
    attempt: null,
    startedMs: null,
    knownBy: ['environment of its processes'],
  };
}

function rankOf(rank: number, localRank: number, pid: number): WorkRank {
  return { rank, localRank, pid, gpus: [], nics: [], pod: null, role: '', knownBy: 'RANK' };
}
