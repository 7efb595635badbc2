// Work size: how much a job does in a step and on how many GPUs, as its log reports it; where that changes, so does its speed.

import { FRAMEWORKS } from './framework.ts';

const WORLD = FRAMEWORKS.flatMap(([, { world_size: words = [] }]) => words);
const WORLD_SIZE = new RegExp(`\\b(?:${WORLD.map((word) => word.replace(/[^\w\s]/g, '\\$&')).join('|')})(\\d{1,7})\\b`);

/** "using world size: 16, data-parallel size: 8, …", as Megatron prints when it starts (arguments.py); null for other lines. */
export function parseWorldSize(line: string): number | null {
  const digits = WORLD_SIZE.exec(line)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Whether a line with other digits may say it. */
export function speaksOfWorld(line: string): boolean {
  return WORLD.some((word) => line.includes(word));
}

/** A ramp-up stays at each size for longer than this, steps. */
const LEAST_APART = 16;
const ALL_THE_TIME = 3;

export class WorkSize {
  #batch: number | null = null;
  #world: number | null = null;
  /** Steps since the batch changed, and changes in a row that came close together. */
  #apart = 0;
  #close = 0;

  /**
   * True where the global batch of a step is another one than before: a ramp-up, or a job that was started with other
   * settings. Batches that differ all the time are how this job is.
   */
  batch(samples: number | null): boolean {
    this.#apart += 1;
    if (samples === null || samples === this.#batch) return false;
    const known = this.#batch !== null;
    this.#batch = samples;
    this.#close = this.#apart < LEAST_APART ? this.#close + 1 : 0;
    this.#apart = 0;
    return known && this.#close < ALL_THE_TIME;
  }

  /** True where the job runs on another number of ranks than before. */
  world(ranks: number | null): boolean {
    if (ranks === null || ranks === this.#world) return false;
    const known = this.#world !== null;
    this.#world = ranks;
    return known;
  }
}
