// Slow ranks: where ranks report their own speed, decides of which slow steps are reported: of the job, or the few that are slow alone.

import { parseSeriesKey, seriesKey } from '../../model/reading.ts';
import type { DetectorEdge } from '../../native.ts';
import type { Passed } from './speed-gate.ts';

/** Steps of a rank after its onset, in which the others report theirs. */
const WAITED_STEPS = 1;
const MAX_HELD = 1024;

export interface RanksOfJob {
  /** Text forms of the ranks that reported steps. */
  of(job: string): readonly string[];
  /** Whether the last step of a series, if later than that, was slower than usual; null where it is not known. */
  slow(key: string, afterMs: number): boolean | null;
}

/**
 * In synchronous training every rank waits for the slowest, so most of them slow together say nothing of which: that is
 * the job's. A rank is reported where at most half of those that are known are slow, and the job is not reported then. What is
 * held back is judged again with every further step of its own.
 */
export class SlowRanks {
  readonly #ranks: RanksOfJob;
  readonly #held = new Map<string, { readonly passed: Passed; steps: number }>();
  /** Series whose last onset ended unreported. */
  readonly #unreported = new Set<string>();
  #released: Passed[] = [];

  constructor(ranks: RanksOfJob) {
    this.#ranks = ranks;
  }

  /** A further step of a series. */
  sample(key: string, timeMs: number, value: number): void {
    if (this.#held.size === 0) return;
    for (const [name, held] of this.#held) {
      const { edge, spread } = held.passed;
      if (edge.key !== key) continue;
      held.steps += 1;
      if (!this.#reports(edge, held.steps)) continue;
      this.#held.delete(name);
      this.#released.push({ edge: { ...edge, value, detectedMs: Math.max(edge.detectedMs, timeMs) }, spread });
    }
  }

  /** What this detector said counts no more. */
  forget(detector: string): void {
    for (const [name, { passed }] of this.#held) if (passed.edge.detector === detector) this.#held.delete(name);
    this.#released = this.#released.filter(({ edge }) => edge.detector !== detector);
  }

  /** What was held back is reported with the next call of `pass`. */
  get hasReleased(): boolean {
    return this.#released.length > 0;
  }

  /** What is reported now of edges that have just come. */
  pass(passed: readonly Passed[]): Passed[] {
    return [...this.#released.splice(0), ...passed.filter((one) => this.#isReported(one))];
  }

  /** Whether slow steps of this series that are over were reported. */
  wasReported(key: string): boolean {
    return !this.#unreported.has(key);
  }

  #isReported(passed: Passed): boolean {
    const { edge } = passed;
    if (!/^(?:job|rank)\//.test(edge.key)) return true;
    const name = `${edge.detector} ${edge.key}`;
    if (edge.edge === 'clear') {
      if (!this.#held.delete(name)) return true;
      this.#unreported.add(edge.key);
      return false;
    }
    this.#unreported.delete(edge.key);
    if (this.#reports(edge, 0)) return true;
    if (this.#held.size < MAX_HELD) this.#held.set(name, { passed, steps: 0 });
    return false;
  }

  #reports({ key, previousMs, timeMs }: DetectorEdge, steps: number): boolean {
    // Ranks write a step at about the same time; who has written none since the first slow one is not known.
    const sinceMs = (previousMs + timeMs) / 2;
    const { component, quantity } = parseSeriesKey(key);
    const isRank = component.startsWith('rank/');
    const job = isRank ? component.slice('rank/'.length, component.lastIndexOf('/')) : component.slice('job/'.length);
    const known = this.#ranks.of(job).flatMap((rank) => this.#ranks.slow(seriesKey(rank, quantity), sinceMs) ?? []);
    const slow = known.filter((one) => one).length;
    if (!isRank) return known.length < 2 || slow > known.length / 2;
    if (steps < WAITED_STEPS || known.length < 2 || slow > known.length / 2) return false;
    return this.#ranks.slow(key, sinceMs) === true;
  }
}
