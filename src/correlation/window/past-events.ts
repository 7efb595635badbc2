// Past events: how often conditions of each kind were over on this host, and how many of them had a consequence.

import type { Kind } from '../../model/kind.ts';
import type { Facts } from './facts.ts';

/** What is known of one kind before a moment. */
export interface Past {
  readonly withConsequence: number;
  readonly without: number;
}

/** Of each kind so many are remembered, the latest. */
const KEPT = 64;
/** What is older says little of the host as it is now. */
const OLDEST_MS = 30 * 86_400_000;
const NOTHING: Past = { withConsequence: 0, without: 0 };

interface Ended {
  readonly atMs: number;
  readonly consequence: boolean;
}

interface Shelf {
  readonly ended: Ended[];
  /** Of all of them: nearly always all are meant. */
  total: Past;
}

/** Bounded by the number of kinds. */
export class PastEvents {
  readonly #byKind = new Map<Kind, Shelf>();
  readonly #latenessMs: number;

  constructor(latenessMs: number) {
    this.#latenessMs = latenessMs;
  }

  /** A condition is given up, long after it ended: no consequence can follow any more. */
  ended({ kind, history }: Facts, consequence: boolean, atMs: number): void {
    if (history) return;
    const shelf = this.#byKind.get(kind) ?? { ended: [], total: NOTHING };
    this.#byKind.set(kind, shelf);
    shelf.ended.push({ atMs, consequence });
    const gone = shelf.ended.length > KEPT ? shelf.ended.shift() : undefined;
    const more = Number(consequence) - Number(gone?.consequence === true);
    const withConsequence = shelf.total.withConsequence + more;
    shelf.total = { withConsequence, without: shelf.ended.length - withConsequence };
  }

  /** Those that were settled before this one began: whenever that is asked, the answer is the same. */
  readonly of = ({ kind, onset }: Facts): Past => {
    const shelf = this.#byKind.get(kind);
    if (shelf === undefined) return NOTHING;
    const { ended, total } = shelf;
    const toMs = onset.earliestMs - this.#latenessMs;
    const [first, last] = [ended[0]?.atMs ?? 0, ended.at(-1)?.atMs ?? 0];
    if (last <= toMs && first >= toMs - OLDEST_MS) return total;
    return counted(ended.filter(({ atMs }) => atMs <= toMs && atMs >= toMs - OLDEST_MS));
  };
}

function counted(ended: readonly Ended[]): Past {
  const withConsequence = ended.reduce((sum, { consequence }) => sum + Number(consequence), 0);
  return { withConsequence, without: ended.length - withConsequence };
}
