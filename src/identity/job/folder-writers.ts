// Whose dumps: a wave counts for the job of those ranks here whose user wrote it; what another user put there is that user's.

import { hasRoom } from '../../helpers/has-room.ts';
import type { RankProcess } from '../rank/processes.ts';

const MOST_USERS = 256;
const ROOT = 0;
/** What a server of files makes of root. */
const OVERFLOW_UID = 65_534;
const NONE: ReadonlySet<number> = new Set();

interface Ranks {
  job: string | null;
  readonly ranks: Set<number>;
}

export interface Whose {
  /** Null where nothing names one. */
  readonly job: string | null;
  /** Global ranks of this user that run here. */
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
    for (const { ranks } of this.#users.values()) ranks.clear();
  }

  runs({ namedBy, job, rank }: Pick<RankProcess, 'namedBy' | 'job' | 'rank'>): void {
    const user = namedBy?.[0];
    if (user === undefined) return;
    const known = this.#users.get(user) ?? { job: null, ranks: new Set() };
    if (!hasRoom(this.#users, user, MOST_USERS)) return;
    this.#users.set(user, known);
    if (known.ranks.size === 0) known.job = job;
    known.ranks.add(rank);
  }

  /** The job of which ranks of this rank's user run here already. */
  jobHere({ namedBy }: Pick<RankProcess, 'namedBy'>): string | null {
    const known = this.#users.get(namedBy?.[0] ?? Number.NaN);
    return known === undefined || known.ranks.size === 0 ? null : known.job;
  }

  /** Null where no user is known to write here: nothing speaks against whoever did. Root's word is everybody's. */
  of(owner: number): Whose | null {
    const own = this.#users.get(owner === OVERFLOW_UID && this.#squashes && !this.#users.has(owner) ? ROOT : owner);
    if (own !== undefined) return { job: this.job ?? own.job, ranks: own.ranks, stranger: false };
    if (this.#users.size === 0 || owner === ROOT) return null;
    return { job: null, ranks: NONE, stranger: true };
  }
}
