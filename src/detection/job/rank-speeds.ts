// Rank speeds: steps that ranks report under their own name, as samples of those ranks that run on this host.

import { componentText } from '../../model/component.ts';
import { seriesKey } from '../../model/reading.ts';
import type { Discovery, SampleBatch } from '../../model/record.ts';
import type { RankLabel } from '../text/job/prefix.ts';
import type { RankStep } from '../text/job.ts';

/** Ranks of one job whose speed is watched: four times what a host of today has GPUs. */
export const MAX_RANKS = 64;
const MAX_JOBS = 256;
/** All jobs together. */
const MAX_WATCHED = 256;
const MAX_KNOWN = 4096;

export class RankSpeeds {
  /** Job → its ranks on this host in rising order, as they are configured. */
  readonly #local = new Map<string, number[]>();
  /** Job → its ranks that reported steps. */
  readonly #watched = new Map<string, Set<number>>();
  #count = 0;

  learn({ links }: Discovery): void {
    for (const { from, to, relation, source } of links) {
      // What is found among processes comes one by one: the n-th of those is not a local number.
      if (source !== 'configuration' || relation !== 'member_of' || from.type !== 'rank' || to.type !== 'job') continue;
      const number = Number(from.id.slice(from.id.lastIndexOf('/') + 1));
      const ranks = this.#local.get(to.id) ?? [];
      if (!Number.isInteger(number) || ranks.includes(number) || ranks.length >= MAX_KNOWN) continue;
      if (!this.#local.has(to.id) && this.#local.size >= MAX_JOBS) continue;
      this.#local.set(
        to.id,
        [...ranks, number].sort((a, b) => a - b),
      );
    }
  }

  /** Text forms of the ranks of a job that reported steps so far. */
  of(job: string): string[] {
    return [...(this.#watched.get(job) ?? [])].map((number) => rankText(job, number));
  }

  /** The rank over the whole job that a line's label means, if it is here; null where it is not, or not known. */
  rankOf(job: string, label: RankLabel): number | null {
    return globalRank(label, this.#local.get(job) ?? null);
  }

  /** Samples of ranks that are here, `step_time` in s and `tokens_per_second_per_gpu`; null where there are none. */
  samples(job: string, steps: readonly RankStep[]): SampleBatch | null {
    const [keys, timesMs, values]: [string[], number[], number[]] = [[], [], []];
    for (const { label, timeMs, progress } of steps) {
      const number = this.rankOf(job, label);
      if (number === null || !this.#watch(job, number)) continue;
      const { step_time_ms: stepMs, step_time_from: from, tokens_per_second_per_gpu: tokens } = progress;
      const add = (quantity: string, value: number): void => {
        keys.push(seriesKey(rankText(job, number), quantity));
        timesMs.push(timeMs);
        values.push(value);
      };
      if (stepMs !== null && from !== 'arrival') add('step_time', stepMs / 1000);
      if (tokens !== null) add('tokens_per_second_per_gpu', tokens);
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

/**
 * The rank over the whole job. A local number is the n-th of the ranks here, as torchrun deals them out; without
 * configured ranks it says nothing, and where both readings of a number are possible none is taken. Null also for the
 * rank of another host.
 */
export function globalRank({ number, means }: RankLabel, local: readonly number[] | null): number | null {
  if (local === null) return means === 'local' ? null : number;
  const nth = local[number] ?? null;
  if (means === 'local') return nth;
  if (!local.includes(number)) return means === 'global' ? null : nth;
  return means === 'global' || nth === null || nth === number ? number : null;
}

function rankText(job: string, number: number): string {
  return componentText({ type: 'rank', id: `${job}/${number}` });
}
