// BatchNames: the one name of a scheduler's job, by whichever of its ids it is called, and whose job it is.

import { batchId, nestedFluxId } from './batch-ids.ts';
import type { BatchManager, Facts, ProcessFact, ScheduledJobFact } from './facts.ts';

/** Variables that name the job, one for each scheduler. */
const JOB_VARIABLE = { slurm: 'SLURM_JOB_ID', pbs: 'PBS_JOBID', lsf: 'LSB_JOBID', flux: 'FLUX_JOB_ID' } as const;
const NAME = /^[^\s/\p{C}]{1,128}$/u;

export interface BatchName {
  readonly manager: BatchManager;
  readonly id: string;
}

export class BatchNames {
  /** Manager and any id → the id that users write. */
  readonly #ids = new Map<string, string>();
  /** Manager and id → what the scheduler says of it; the user's number. */
  readonly facts = new Map<string, ScheduledJobFact>();
  readonly #users = new Map<string, number>();
  /** Null where two jobs list one process: one list is old. */
  readonly #tasks = new Map<number, ScheduledJobFact | null>();
  readonly #processes: ReadonlyMap<number, ProcessFact>;

  constructor({ scheduled, processes }: Pick<Facts, 'scheduled' | 'processes'>) {
    this.#processes = new Map(processes.map((each) => [each.pid, each]));
    for (const fact of scheduled) {
      this.facts.set(`${fact.manager}/${fact.id}`, fact);
      for (const name of [...fact.aliases, fact.id]) this.#ids.set(`${fact.manager}/${name}`, fact.id);
      for (const pid of new Set(fact.tasks.map((task) => task.pid)))
        this.#tasks.set(pid, this.#tasks.has(pid) ? null : fact);
    }
    // The group is the kernel's word; the environment of a process in it may only say what else that job is called.
    for (const { place, variables } of processes) {
      if (place.batch?.manager !== 'slurm') continue;
      const { job, sluid } = place.batch;
      const [raw, array] = [variables.SLURM_JOB_ID ?? null, arrayTask(variables)];
      const same = job === null ? sluid !== null && variables.SLURM_JOB_SLUID === sluid : raw === job;
      if (!same || raw === null || !NAME.test(raw)) continue;
      const id = this.#ids.get(`slurm/${raw}`) ?? array ?? raw;
      for (const name of [raw, sluid, variables.SLURM_JOB_SLUID])
        if (typeof name === 'string' && NAME.test(name) && !this.#ids.has(`slurm/${name}`))
          this.#ids.set(`slurm/${name}`, id);
    }
    for (const [key, { userId }] of this.facts) if (userId !== null) this.#users.set(key, userId);
    // Rising by start: the first under a name, from its group before its own word, is whose job it is. Its root processes are the scheduler's.
    const said = (each: ProcessFact) => this.#said(each);
    for (const name of [(each: ProcessFact) => this.surely(each), said])
      for (const each of processes) {
        const found = name(each);
        if (found === null || (each.owner[0] === 0 && name !== said)) continue;
        const key = `${found.manager}/${this.id(found)}`;
        if (!this.#users.has(key)) this.#users.set(key, each.owner[0]);
      }
  }

  /** As users write it. */
  id({ manager, id }: BatchName): string {
    return this.#ids.get(`${manager}/${id}`) ?? id;
  }

  /** By its control group, or the scheduler's list of processes. */
  surely(process: ProcessFact): BatchName | null {
    const { pid, place, variables } = process;
    const [user] = process.owner;
    const name = place.batch?.job ?? place.batch?.sluid ?? null;
    if (place.batch !== null && name !== null) {
      const id = batchId(place.batch.manager, name, variables);
      // What an instance of Flux runs is in the group of the job that the instance is.
      const nested = place.batch.manager === 'flux' ? nestedFluxId(process, this.#processes) : null;
      const named = this.#named(place.batch.manager, nested?.startsWith(`${id}:`) === true ? nested : id);
      // Flux has its jobs below a user's manager of units, where any user may name a group like that.
      const theirs = named.manager === 'flux' ? (this.facts.get(`flux/${id}`)?.userId ?? user) : user;
      return user === 0 || user === theirs ? named : null;
    }
    const listed = this.taskOf(pid);
    // A number that another user's process has by now.
    return listed === null || (listed.userId !== null && user !== 0 && user !== listed.userId) ? null : listed;
  }

  /** The job whose scheduler lists this process; null where none does, or more than one. */
  taskOf(pid: number): ScheduledJobFact | null {
    return this.#tasks.get(pid) ?? null;
  }

  /** By its environment, as far as that is not another user's job. */
  bySaying(process: ProcessFact): (BatchName & { readonly ofOthers: boolean }) | null {
    const name = this.#said(process);
    if (name === null) return null;
    const known = this.#named(name.manager, name.id);
    return { ...known, ofOthers: this.userOf(known) !== process.owner[0] };
  }

  /** Null where nothing tells. */
  userOf({ manager, id }: BatchName): number | null {
    return this.#users.get(`${manager}/${id}`) ?? null;
  }

  /** Other ids of the job. */
  aliasesOf({ manager, id }: BatchName): readonly string[] {
    const all = [...this.#ids].filter(([key, value]) => value === id && key.startsWith(`${manager}/`));
    return all.map(([key]) => key.slice(manager.length + 1)).filter((name) => name !== id);
  }

  #said(process: ProcessFact): BatchName | null {
    const { variables } = process;
    for (const manager of ['slurm', 'pbs', 'lsf', 'flux'] as const) {
      const id = (manager === 'slurm' ? arrayTask(variables) : null) ?? variables[JOB_VARIABLE[manager]];
      if (id === undefined || !NAME.test(id)) continue;
      const nested = manager === 'flux' ? nestedFluxId(process, this.#processes) : null;
      return { manager, id: nested ?? batchId(manager, id, variables) };
    }
    return null;
  }

  #named(manager: BatchManager, id: string): BatchName {
    return { manager, id: this.id({ manager, id }) };
  }
}

/** 991_3 */
function arrayTask(variables: ProcessFact['variables']): string | null {
  const { SLURM_ARRAY_JOB_ID: job, SLURM_ARRAY_TASK_ID: task } = variables;
  return job !== undefined && task !== undefined && /^\d{1,10}$/.test(job) && /^\d{1,10}$/.test(task)
    ? `${job}_${task}`
    : null;
}
