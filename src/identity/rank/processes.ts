// Rank processes: which processes of this host are ranks of a job, by their environment. Reads nothing itself.

import { join } from 'node:path';
import type { NamedBy } from '../../model/native-files.ts';
import type { ProcessRow, ProcessScan, WrittenFile } from '../../native.ts';
import { type RankEnvironment, rankEnvironment } from './environment.ts';
import { roleOf } from './role.ts';

const MAX_RANKS_HERE = 1024;

export interface RankProcess extends RankEnvironment {
  readonly pid: number;
  /** What the process's own paths begin with for us: empty where it sees the same file systems. */
  readonly root: string;
  /** Whose it is, by whose rights the paths that it names are read. */
  readonly namedBy?: NamedBy;
  /** What part of the work it does, in the words of its command line; empty where that does not say. */
  readonly role: string;
}

/**
 * Looks at what is new in the procfs of this host; null where the last look has not ended. `holders`: pids that hold a device.
 * Never rejects.
 */
export type ScanProcesses = (holders: readonly number[]) => Promise<ProcessScan | null>;

export class RankProcesses {
  readonly #proc: string;
  readonly #scan: ScanProcesses;
  readonly #ranks = new Map<number, RankProcess>();
  readonly #writes = new Map<number, readonly WrittenFile[]>();
  /** Processes whose environment we may not read. */
  refused = 0;
  /** Folders of processes whose files do not answer. */
  hanging: readonly string[] = [];

  /** `proc`: root of the procfs that `scan` looks at. */
  constructor(proc: string, scan: ScanProcesses) {
    this.#proc = proc;
    this.#scan = scan;
  }

  get ranks(): readonly RankProcess[] {
    return [...this.#ranks.values()];
  }

  /** Process id of a rank → the files that it, and those near it, write. */
  get writes(): ReadonlyMap<number, readonly WrittenFile[]> {
    return this.#writes;
  }

  /** Looks at what is new. Never rejects: a process may end at any moment. */
  async scan(): Promise<void> {
    const scan = await this.#scan([]);
    if (scan !== null) this.take(scan);
  }

  take(scan: ProcessScan): void {
    const present = new Set(scan.present);
    for (const pid of this.#ranks.keys()) if (!present.has(pid)) this.#ranks.delete(pid);
    for (const pid of this.#writes.keys()) if (!present.has(pid)) this.#writes.delete(pid);
    for (const row of scan.changed) this.#take(row);
    for (const { pid, files } of scan.writes) if (this.#ranks.has(pid)) this.#writes.set(pid, files);
    this.refused = scan.refused;
    this.hanging = scan.hanging;
  }

  /** They ended since the last look. */
  gone(pids: Iterable<number>): void {
    for (const pid of pids) {
      this.#ranks.delete(pid);
      this.#writes.delete(pid);
    }
  }

  #take({ pid, owner, ownMounts, variables, command }: ProcessRow): void {
    this.#ranks.delete(pid);
    const rank = rankEnvironment(variables);
    if (rank === null || this.#ranks.size >= MAX_RANKS_HERE) return;
    this.#ranks.set(pid, {
      ...rank,
      job: this.#jobFor(rank.job, owner[0]),
      pid,
      namedBy: owner,
      root: ownMounts ? join(this.#proc, String(pid), 'root') : '',
      role: roleOf(command, rank.rank, rank.worldSize),
    });
  }

  /** A job is of one user. Whoever comes later under its name, from another user, must not speak for it. */
  #jobFor(job: string | null, user: number): string | null {
    if (job === null) return null;
    for (const known of this.#ranks.values()) {
      if (known.job === job && known.namedBy?.[0] !== user) return `${job}-uid-${user}`;
    }
    return job;
  }
}
