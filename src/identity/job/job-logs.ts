// JobLogs: which configured job a rank's process belongs to, by the log that it writes or whose lines name it.

import { basename } from 'node:path';
import { remember } from '../../helpers/remember.ts';
import type { WrittenFile } from '../../native.ts';
import type { RankProcess } from '../rank/processes.ts';

/** A file of a job's log that is read now. */
export interface FollowedLog {
  readonly job: string;
  /** As it is configured, and where that leads. */
  readonly path: string;
  readonly real: string;
  readonly inode: number;
  /** User whose file it is. */
  readonly owner: number;
}

/** What the files say of a rank: its job, or null where they say more than one thing; and by what. */
export interface LogClaim {
  readonly job: string | null;
  readonly why: string;
}

const MAX_FILES = 4096;
const MAX_PIDS = 4096;
/** The nearer the process is that has the log open, the more it says; a process of the same group comes last. */
const NEAREST_FIRST = ['itself', 'ancestor', 'pipe', 'group'] as const;
const HOW: Readonly<Record<WrittenFile['by'], string>> = {
  itself: 'it writes',
  ancestor: 'its launcher writes',
  pipe: 'what reads its output writes',
  group: 'a process of its job writes',
};

export class JobLogs {
  /** By path. */
  readonly #logs = new Map<string, FollowedLog>();
  /** Process id → jobs whose lines name it as one of theirs. */
  readonly #named = new Map<number, ReadonlySet<string>>();

  follows(log: FollowedLog): void {
    remember(this.#logs, log.path, log, MAX_FILES);
  }

  /** A line of the job's log names this process as one of its ranks. */
  names(job: string, pid: number): void {
    remember(this.#named, pid, new Set([...(this.#named.get(pid) ?? []), job]), MAX_PIDS);
  }

  /** Null where no log says anything of it. `writes`: the files that it, and those near it, write. */
  claim(rank: Pick<RankProcess, 'pid' | 'root' | 'namedBy'>, writes: readonly WrittenFile[]): LogClaim | null {
    for (const by of NEAREST_FIRST) {
      const logs = writes
        .filter((file) => file.by === by)
        .flatMap((file) => [...this.#logs.values()].filter((log) => isSame(file, log, rank.root === '')));
      const claim = only(logs, ({ path }) => `${HOW[by]} ${path}`);
      if (claim !== null) return claim;
    }
    // A line is a user's word: it speaks for processes of the user whose file it is in, and for no others.
    const jobs = this.#named.get(rank.pid);
    const named = [...this.#logs.values()].filter(({ job, owner }) => jobs?.has(job) && owner === rank.namedBy?.[0]);
    return only(named, ({ path }) => `a line of ${path} names its process ${rank.pid}`);
  }
}

function only(logs: readonly FollowedLog[], why: (log: FollowedLog) => string): LogClaim | null {
  const [first] = logs;
  if (first === undefined) return null;
  const jobs = [...new Set(logs.map(({ job }) => job))].sort();
  if (jobs.length === 1) return { job: first.job, why: why(first) };
  return { job: null, why: `logs of ${jobs.join(' and ')} are equally near to it` };
}

/** By inode and name, as paths differ between containers; where the kernel does not give the inode, by the whole path. */
function isSame({ path, inode }: WrittenFile, log: FollowedLog, sameMounts: boolean): boolean {
  const name = path.replace(/ \(deleted\)$/, '');
  if (inode !== 0) return inode === log.inode && [log.path, log.real].some((each) => basename(each) === basename(name));
  return sameMounts && (name === log.path || name === log.real);
}
