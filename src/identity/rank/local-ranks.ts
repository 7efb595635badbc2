// LocalRanks: which ranks of a job the configuration places on this host, and so which rank a line's number means.

import type { RankLabel } from '../../model/rank-label.ts';
import type { Link } from '../../model/topology.ts';

const MAX_JOBS = 256;
const MAX_KNOWN = 4096;

export class LocalRanks {
  /** Job → its ranks on this host in rising order, as they are configured. */
  readonly #ranks = new Map<string, readonly number[]>();

  learn({ from, to, relation, source }: Link): void {
    // What is found among processes comes one by one: the n-th of those is not a local number.
    if (source !== 'configuration' || relation !== 'member_of' || from.type !== 'rank' || to.type !== 'job') return;
    const number = Number(from.id.slice(from.id.lastIndexOf('/') + 1));
    const ranks = this.#ranks.get(to.id) ?? [];
    if (!Number.isInteger(number) || ranks.includes(number) || ranks.length >= MAX_KNOWN) return;
    if (!this.#ranks.has(to.id) && this.#ranks.size >= MAX_JOBS) return;
    this.#ranks.set(to.id, [...ranks, number].sort((a, b) => a - b)); // biome-ignore format: one call
  }

  /** The configuration has this link no more. */
  forget({ from, to, relation, source }: Link): void {
    if (source !== 'configuration' || relation !== 'member_of' || from.type !== 'rank') return;
    const number = Number(from.id.slice(from.id.lastIndexOf('/') + 1));
    const ranks = (this.#ranks.get(to.id) ?? []).filter((each) => each !== number);
    if (ranks.length === 0) this.#ranks.delete(to.id);
    else this.#ranks.set(to.id, ranks);
  }

  /** The rank over the whole job that a line's label means, if it is here; null where it is not, or not known. */
  rankOf(job: string, label: RankLabel): number | null {
    return globalRank(label, this.#ranks.get(job) ?? null);
  }
}

/**
 * The rank over the whole job. A local number is the n-th of the ranks here, as torchrun deals them out; without
 * configured ranks it says nothing, and where both readings of a number are possible none is taken. Null also for the
 * rank of another host.
 */
export function globalRank({ number, means }: RankLabel, local: readonly number[] | null): number | null {
  if (local === null) return means === 'local' ? null : number;
  const nth = local[number] ?? null;
  if (means === 'local') return nth;
  if (means === 'task') return local.includes(number) && !mayBeNode(number, local) ? number : null;
  if (!local.includes(number)) return means === 'global' ? null : nth;
  return means === 'global' || nth === null || nth === number ? number : null;
}

/** With one task a node, and as many ranks on each, this host would have this number. */
function mayBeNode(number: number, local: readonly number[]): boolean {
  const [first = 0] = local;
  return local.length > 1 && number * local.length === first;
}
