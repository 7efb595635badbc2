// Rank speeds: steps that ranks report under their own name, as samples of those ranks that run on this host.

import type { LocalRanks } from '../../identity/rank/local-ranks.ts';
import { componentText } from '../../model/component.ts';
import { seriesKey } from '../../model/reading.ts';
import type { SampleBatch } from '../../model/record.ts';
import type { RankStep } from '../text/job/decoded.ts';
import { rankSamples } from '../text/job/progress.ts';

/** Ranks of one job whose speed is watched: four times what a host of today has GPUs. */
export const MAX_RANKS = 64;
/** All jobs together. */
const MAX_WATCHED = 256;

export class RankSpeeds {
  readonly #local: LocalRanks;
  /** Job → its ranks that reported steps. */
  readonly #watched = new Map<string, Set<number>>();
  #count = 0;

  constructor(local: LocalRanks) {
    this.#local = local;
  }

  /** Text forms of the ranks of a job that reported steps so far. */
  of(job: string): string[] {
    return [...(this.#watched.get(job) ?? [])].map((number) => rankText(job, number));
  }

  /** Samples of ranks that are here, of all that differs from rank to rank, SI; null where there are none. */
  samples(job: string, steps: readonly RankStep[]): SampleBatch | null {
    const [keys, timesMs, values]: [string[], number[], number[]] = [[], [], []];
    for (const { label, timeMs, progress } of steps) {
      const number = this.#local.rankOf(job, label);
      if (number === null || !this.#watch(job, number)) continue;
      for (const [quantity, value] of rankSamples(progress)) {
        keys.push(seriesKey(rankText(job, number), quantity));
        timesMs.push(timeMs);
        values.push(value);
      }
    }
    return keys.length === 0 ? null : { source: 'job-log', trust: 'tenant', keys, timesMs, values };
  }

  #watch(job: string, number: number): boolean {
    const ranks = this.#watched.get(job) ?? new Set<number>();
    if (ranks.has(number)) return true;
    if (ranks.size >= MAX_RANKS || this.#count >= MAX_WATCHED) return false;
    this.#watched.set(job, ranks.add(number));
    this.#count += 1;
    return true;
  }
}

function rankText(job: string, number: number): string {
  return componentText({ type: 'rank', id: `${job}/${number}` });
}
