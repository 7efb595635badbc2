// Rank speeds: steps that ranks report under their own name, as samples of those ranks that run on this host.

import type { LocalRanks } from '../../identity/rank/local-ranks.ts';
import { componentText } from '../../model/component.ts';
import { seriesKey } from '../../model/reading.ts';
import type { SampleBatch } from '../../model/record.ts';
import type { RankStep } from '../text/job/decoded.ts';
import { RANK_QUANTITIES, rankValue } from '../text/job/progress.ts';

/** Ranks of one job whose speed is watched: four times what a host of today has GPUs. */
export const MAX_RANKS = 64;
/** All jobs together. */
const MAX_WATCHED = 256;

interface Rank {
  readonly text: string;
  /** Of its series, one for each of RANK_QUANTITIES. */
  readonly keys: readonly string[];
}

export class RankSpeeds {
  readonly #local: LocalRanks;
  /** Job → its ranks that reported steps. */
  readonly #watched = new Map<string, Map<number, Rank>>();
  #count = 0;

  constructor(local: LocalRanks) {
    this.#local = local;
  }

  /** Text forms of the ranks of a job that reported steps so far. */
  of(job: string): string[] {
    return [...(this.#watched.get(job)?.values() ?? [])].map(({ text }) => text);
  }

  /** Samples of ranks that are here, of all that differs from rank to rank, SI; null where there are none. */
  samples(job: string, steps: readonly RankStep[]): SampleBatch | null {
    const [keys, timesMs, values]: [string[], number[], number[]] = [[], [], []];
    for (const { label, timeMs, progress } of steps) {
      const number = this.#local.rankOf(job, label);
      const rank = number === null ? null : this.#watch(job, number);
      if (rank === null) continue;
      for (let i = 0; i < rank.keys.length; i += 1) {
        const value = rankValue(progress, i);
        if (value === null) continue;
        keys.push(rank.keys[i] ?? '');
        timesMs.push(timeMs);
        values.push(value);
      }
    }
    return keys.length === 0 ? null : { source: 'job-log', trust: 'tenant', keys, timesMs, values };
  }

  #watch(job: string, number: number): Rank | null {
    const ranks = this.#watched.get(job) ?? new Map<number, Rank>();
    const known = ranks.get(number);
    if (known !== undefined) return known;
    if (ranks.size >= MAX_RANKS || this.#count >= MAX_WATCHED) return null;
    const text = componentText({ type: 'rank', id: `${job}/${number}` });
    const rank = { text, keys: RANK_QUANTITIES.map((quantity) => seriesKey(text, quantity)) };
    this.#watched.set(job, ranks.set(number, rank));
    this.#count += 1;
    return rank;
  }
}
