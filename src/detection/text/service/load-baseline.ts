// Load baseline: what throughput each request usually gets while about as many run; never held against another load.

import { hasRoom } from '../../../helpers/has-room.ts';
import { upperMedian } from '../../../helpers/median.ts';

/** Fewer requests finish and begin between two lines so often that their number says little of the throughput. */
export const LEAST_RUNNING = 4;
/** A band's median is known from so many lines on; the last ones are kept. */
const LEAST_LINES = 5;
const KEPT_LINES = 64;
/** Two bands an octave: in one of them the throughput per request falls by no more than 1/√2 though the whole stays the same. */
const BANDS_PER_OCTAVE = 2;
const MAX_BANDS = 48;
/** Longer contexts and more prompts with them make tokens slower by right. */
const LONGER_CONTEXT = 1.5;
const MORE_PROMPTS = 2;

/** One line, or the mean of several that came close together. */
export interface Load {
  readonly running: number;
  readonly perRequest: number;
  /** Share of the cache that a request holds, a measure of how long its context is; null where it is not reported. */
  readonly context: number | null;
  readonly prompt: number | null;
}

export class LoadBaseline {
  readonly #slow: number;
  readonly #bands = new Map<number, Load[]>();
  #previous: number | null = null;

  /** Under `slow` × usual nothing is learned: what is wrong must not become usual. */
  constructor(slow: number) {
    this.#slow = slow;
  }

  /**
   * The usual throughput per request at this load; null where it is not known, or the load is changing, too low, or of
   * another kind than usual. Learns from the line.
   */
  usual(load: Load): number | null {
    const band = bandOf(load.running);
    const previous = this.#previous;
    this.#previous = band;
    if (load.running < LEAST_RUNNING || previous === null || Math.abs(band - previous) > 1) return null;
    const known = this.#bands.get(band) ?? [];
    const own = known.length < LEAST_LINES ? null : upperMedian(known.map(({ perRequest }) => perRequest));
    const usual = own ?? this.#atLeast(band, load.running);
    const isSlow = usual !== null && load.perRequest < this.#slow * usual;
    const other = isSlow && isOther(load, known);
    if (!isSlow || other) this.#learn(band, known, load);
    if (other || (own === null && !isSlow)) return null;
    return usual;
  }

  /** More requests together get no fewer tokens than fewer did: what a band below had, shared among these. */
  #atLeast(band: number, running: number): number | null {
    let most: number | null = null;
    for (const [lower, loads] of this.#bands) {
      if (lower >= band || loads.length < LEAST_LINES) continue;
      const work = upperMedian(loads.map((load) => load.perRequest * load.running)) ?? 0;
      most = Math.max(most ?? 0, work / running);
    }
    return most;
  }

  #learn(band: number, known: Load[], load: Load): void {
    if (!hasRoom(this.#bands, band, MAX_BANDS)) return;
    known.push(load);
    if (known.length > KEPT_LINES) known.shift();
    this.#bands.set(band, known);
  }
}

function bandOf(running: number): number {
  return running < 1 ? -1 : Math.floor(BANDS_PER_OCTAVE * Math.log2(running));
}

/** Whether its requests are of another kind than those that were usual. */
function isOther(load: Load, known: readonly Load[]): boolean {
  return isMore('context', LONGER_CONTEXT) || isMore('prompt', MORE_PROMPTS);

  function isMore(what: 'context' | 'prompt', times: number): boolean {
    const values = known.flatMap((one) => one[what] ?? []);
    const value = load[what];
    return value !== null && values.length >= LEAST_LINES && value > times * (upperMedian(values) ?? 0);
  }
}
