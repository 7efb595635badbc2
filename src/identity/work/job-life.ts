// JobLife: whether processes of a job are left on this host. What was never seen is not known to be gone.

import { remember } from '../../helpers/remember.ts';
import type { Work, WorkView } from './work.ts';

const MOST = 1024;

/** Of the ranks of a job on this host. */
export interface Life {
  /** Processes that are there. */
  readonly alive: number;
  /** Of those that were there at once, how many are not any more. */
  readonly gone: number;
}

export class JobLife {
  /** Each name of a job → the most processes of its ranks that were there at once. */
  readonly #most = new Map<string, number>();

  saw({ works }: WorkView): void {
    for (const work of works) {
      const alive = aliveOf(work);
      if (alive === 0) continue;
      const most = Math.max(alive, ...namesOf(work).map((name) => this.#most.get(name) ?? 0));
      for (const name of namesOf(work)) remember(this.#most, name, most, MOST);
    }
  }

  /** Null where none of its processes was ever seen. */
  of(job: string, { works }: WorkView): Life | null {
    const most = this.#most.get(job);
    if (most === undefined) return null;
    const work = works.find((one) => namesOf(one).includes(job));
    const alive = work === undefined ? 0 : aliveOf(work);
    return { alive, gone: Math.max(0, most - alive) };
  }

  /** It begins again: its next processes may be fewer. */
  forget(job: string): void {
    this.#most.delete(job);
  }
}

function namesOf({ id, aliases }: Work): readonly string[] {
  return [id, ...aliases];
}

function aliveOf({ ranks, isOver }: Work): number {
  return isOver === true ? 0 : ranks.filter(({ pid }) => pid !== null).length;
}
