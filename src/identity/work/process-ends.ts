// ProcessEnds: when processes of work ended, for what is said of the end of their job.

import { remember } from '../../helpers/remember.ts';
import type { ProcessFact } from './facts.ts';
import type { Work } from './work.ts';

const MOST = 8192;

interface End {
  /** The scheduler's name of its job; null where its control groups have none. */
  readonly batch: string | null;
  /** Epoch ms. */
  readonly atMs: number;
}

export class ProcessEnds {
  readonly #ends = new Map<number, End>();

  note({ pid, place }: Pick<ProcessFact, 'pid' | 'place'>, atMs: number): void {
    remember(this.#ends, pid, { batch: place.batch?.job ?? null, atMs }, MOST);
  }

  /** When the last process of a job that is gone ended; null where one of its ranks is not known to have. */
  of({ id, aliases, ranks }: Pick<Work, 'id' | 'aliases' | 'ranks'>): number | null {
    const pids = ranks.flatMap(({ pid }) => pid ?? []);
    if (pids.some((pid) => !this.#ends.has(pid))) return null;
    const names = new Set([id, ...aliases]);
    const own = new Set(pids);
    let last: number | null = null;
    for (const [pid, { batch, atMs }] of this.#ends)
      if (own.has(pid) || (batch !== null && names.has(batch))) last = Math.max(last ?? atMs, atMs);
    return last;
  }
}
