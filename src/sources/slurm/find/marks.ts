// Marks of jobs on this node that cost nothing to look at: control groups of slurmstepd, and the sockets of step daemons. They
// say when Slurm has to be asked, and which jobs are here even where no process of them is left.

import { basename, join } from 'node:path';
import type { SmallFiles } from '../../files/small-files.ts';

const MAX_MARKS = 4096;
/** system.slice has a few hundred services; a scope that is not there is looked for this seldom. */
const SCOPES_EVERY = 12;
const JOB = /^job_([1-9]\d{0,9})$/;
/** Crockford's base 32 of 64 bits. */
const SLUID = /^s[0-9A-HJKMNP-TV-Z]{13}$/i;
const SOCKET = /^(.+)_([1-9]\d{0,9})\.(\d{1,10})(?:\.\d{1,5})?$/;
const CONTROLLERS = ['memory', 'cpuset', 'freezer', 'devices', 'cpuacct'];

export interface Marks {
  /** All of them, as one text that changes when one of them does. */
  readonly text: string;
  /** Raw numbers of jobs that have a control group with processes. */
  readonly jobs: ReadonlySet<number>;
  /** Raw numbers of jobs of which a step daemon has a socket; one that was killed leaves it. */
  readonly sockets: ReadonlySet<number>;
  /** What slurmd calls this node, by the names of its sockets; null where there is none. */
  readonly node: string | null;
}

/** Folders of jobs lie in it, or in the folders of their users. */
interface Scope {
  readonly folder: string;
  readonly byUser: boolean;
}

export class JobMarks {
  readonly #files: SmallFiles;
  readonly #groups: string;
  #scopes: readonly Scope[] = [];
  #looks = 0;

  /** `groups`: root of the control groups. */
  constructor(files: SmallFiles, groups: string) {
    this.#files = files;
    this.#groups = groups;
  }

  /** Null where there is neither a control group of Slurm nor its folder of sockets: then nothing shows a change. */
  async look(spool: string | null): Promise<Marks | null> {
    if (this.#scopes.length === 0 && this.#looks % SCOPES_EVERY === 0) this.#scopes = await this.#findScopes();
    this.#looks += 1;
    const marks: string[] = [];
    const [jobs, steps] = [new Set<number>(), new Set<number>()];
    for (const group of await this.#jobGroups()) {
      const name = basename(group);
      // Slurm leaves the group of a job now and then, without a process in it.
      if (!(await this.#isPopulated(group))) continue;
      const job = JOB.exec(name)?.[1];
      // Of one that is named by its sortable id, listpids knows the number.
      if (job !== undefined) jobs.add(Number(job));
      marks.push(name);
    }
    const sockets = spool === null ? null : await this.#files.list(spool);
    let node: string | null = null;
    for (const name of sockets ?? []) {
      const [socket, of, job] = SOCKET.exec(name) ?? [];
      if (socket === undefined || of === undefined) continue;
      steps.add(Number(job));
      marks.push(socket);
      node = of;
    }
    if (this.#scopes.length === 0 && sockets === null) return null;
    return { text: marks.slice(0, MAX_MARKS).sort().join(' '), jobs, sockets: steps, node };
  }

  async #jobGroups(): Promise<string[]> {
    const groups: string[] = [];
    for (const { folder, byUser } of this.#scopes) {
      const names = await this.#files.list(folder);
      if (names === null) this.#scopes = [];
      const users = byUser
        ? (names ?? []).filter((name) => /^uid_\d+$/.test(name)).map((name) => join(folder, name))
        : [];
      if (!byUser) groups.push(...jobsIn(folder, names));
      for (const user of users) groups.push(...jobsIn(user, await this.#files.list(user)));
    }
    return groups.slice(0, MAX_MARKS);
  }

  async #isPopulated(group: string): Promise<boolean> {
    const text = await this.#files.read(join(group, 'cgroup.events'));
    this.#files.forget(group);
    return text === null || !/^populated 0$/m.test(text);
  }

  async #findScopes(): Promise<Scope[]> {
    const scopes: Scope[] = [];
    const matching = async (folder: string, pattern: RegExp, byUser: boolean): Promise<void> => {
      const names = (await this.#files.list(folder)) ?? [];
      scopes.push(
        ...names.filter((name) => pattern.test(name)).map((name) => ({ folder: join(folder, name), byUser })),
      );
    };
    for (const slice of ['system.slice', ''])
      await matching(join(this.#groups, slice), /^(?:.+_)?slurmstepd\.scope$/, false);
    for (const controller of CONTROLLERS)
      if (scopes.length === 0) await matching(join(this.#groups, controller), /^slurm(?:_.+)?$/, true);
    return scopes;
  }
}

function jobsIn(folder: string, names: readonly string[] | null): string[] {
  return (names ?? []).filter((name) => JOB.test(name) || SLUID.test(name)).map((name) => join(folder, name));
}
