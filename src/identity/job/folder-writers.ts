// Whose dumps: a wave counts for the job of those ranks here whose user wrote it; what another user put there is that user's.

import { hasRoom } from '../../helpers/has-room.ts';
import type { RankProcess } from '../rank/processes.ts';

const MOST_USERS = 256;
const ROOT = 0;
/** What a server of files makes of root. */
const OVERFLOW_UID = 65_534;
const NONE: ReadonlySet<number> = new Set();

/** A rank that died leaves no dump; that it ran here is known for as long as the others may wait for it. */
const REMEMBERED_MS = 1_800_000;

interface Ranks {
  job: string | null;
  /** Global ranks that run here now. */
  readonly running: Set<number>;
  /** The same and those that ran here of late: the process, and when it was last seen. */
  readonly seen: Map<number, { readonly pid: number; readonly atMs: number }>;
}

export interface Whose {
  /** Null where nothing names one. */
  readonly job: string | null;
  /** Global ranks of this user that run here, or did until a while ago. */
  readonly ranks: ReadonlySet<number>;
  /** Ranks of others run here and write to this folder, and none of this user. */
  readonly stranger: boolean;
}

/** Of one folder. A user stays known when the ranks are gone: their last dumps are read after that. */
export class Writers {
  /** Given by the configuration to all that is in the folder. */
  job: string | null = null;
  readonly #squashes: boolean;
  readonly #users = new Map<number, Ranks>();

  constructor(squashes: boolean) {
    this.#squashes = squashes;
  }

  noneRuns(): void {
    for (const { running } of this.#users.values()) running.clear();
  }

  runs({ namedBy, job, rank, pid }: Pick<RankProcess, 'namedBy' | 'job' | 'rank' | 'pid'>, nowMs: number): void {
    const user = namedBy?.[0];
    if (user === undefined) return;
    const known = this.#users.get(user) ?? { job: null, running: new Set(), seen: new Map() };
    if (!hasRoom(this.#users, user, MOST_USERS)) return;
    this.#users.set(user, known);
    if (known.running.size === 0) known.job = job;
    known.running.add(rank);
    // Another process: the job was started again, and its ranks may be elsewhere now.
    if (known.seen.get(rank)?.pid !== pid) {
      for (const each of known.seen.keys()) if (!known.running.has(each)) known.seen.delete(each);
    }
    known.seen.set(rank, { pid, atMs: nowMs });
  }

  /** The job of which ranks of this rank's user run here already. */
  jobHere({ namedBy }: Pick<RankProcess, 'namedBy'>): string | null {
    const known = this.#users.get(namedBy?.[0] ?? Number.NaN);
    return known === undefined || known.running.size === 0 ? null : known.job;
  }

  /** Null where no user is known to write here: nothing speaks against whoever did. Root's word is everybody's. */
  of(owner: number, nowMs: number): Whose | null {
    const own = this.#users.get(owner === OVERFLOW_UID && this.#squashes && !this.#users.has(owner) ? ROOT : owner);
    if (own !== undefined) {
      const ranks = [...own.seen].filter(([, { atMs }]) => nowMs - atMs <= REMEMBERED_MS).map(([rank]) => rank);
      return { job: this.job ?? own.job, ranks: new Set(ranks), stranger: false };
    }
    if (this.#users.size === 0 || owner === ROOT) return null;
    return { job: null, ranks: NONE, stranger: true };
  }
}
