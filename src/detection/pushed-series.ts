// PushedSeries: series that sources hand over, and how many of the core's the word of tenants may take: the core gives none back.

import type { Trust } from '../model/event.ts';
import { parseSeriesKey } from '../model/reading.ts';
import type { SampleBatch } from '../model/record.ts';
import type { NativeCore } from '../native.ts';

/** Of the 16,384 that the core has: devices need theirs. */
export const MOST_OF_TENANTS = 8192;
/** Of jobs and services that nothing but their senders name, in use at once; a job has some eight. */
export const MOST_CLAIMED = 512;
/** One of which nothing came for so long makes room for another name. */
export const CLAIMED_MS = 3_600_000;
/** Of claimed names in all: the core gives no place back, and jobs that are known need theirs. */
export const MOST_CLAIMED_EVER = 4096;
/** What the core answers where no more fit; samples for it are dropped. */
const NO_SERIES = 0xffffffff;

export interface Pushed {
  readonly id: number;
  readonly source: string;
  readonly trust: Trust;
  /** Kept for evidence only. */
  readonly silent: boolean;
}

/** Whether nothing but its senders says that there is a job or service of this name. */
type IsClaimed = (name: string, what: 'job' | 'service') => boolean;

export class PushedSeries {
  readonly #core: Pick<NativeCore, 'series'>;
  readonly #isClaimed: IsClaimed;
  readonly #series = new Map<string, Pushed>();
  #ofTenants = 0;
  /** Claimed ones in use: when the last sample came, ms, the oldest first. */
  readonly #claimed = new Map<string, number>();
  #claimedEver = 0;

  constructor(core: Pick<NativeCore, 'series'>, isClaimed: IsClaimed) {
    this.#core = core;
    this.#isClaimed = isClaimed;
  }

  get(key: string): Pushed | undefined {
    return this.#series.get(key);
  }

  /** How many are remembered. */
  get size(): number {
    return this.#series.size;
  }

  /** Its number in the core, made where there is none. `timeMs`: of the sample. */
  id(key: string, { source, trust }: SampleBatch, silent: boolean, timeMs: number): number {
    const known = this.#series.get(key);
    if (known !== undefined) {
      if (this.#claimed.has(key)) this.#heard(key, timeMs);
      return known.id;
    }
    const claimed = this.#ofClaimed(key);
    const tenants = trust === 'tenant';
    if ((claimed && !this.#hasRoom(timeMs)) || (tenants && this.#ofTenants >= MOST_OF_TENANTS)) return NO_SERIES;
    const id = this.#core.series(key);
    // Names that have no place are without end: nothing is remembered of them.
    if (id === NO_SERIES) return id;
    if (claimed) {
      this.#claimedEver += 1;
      this.#heard(key, timeMs);
    }
    if (tenants) this.#ofTenants += 1;
    this.#series.set(key, { id, source, trust, silent });
    return id;
  }

  #heard(key: string, timeMs: number): void {
    this.#claimed.delete(key);
    this.#claimed.set(key, timeMs);
  }

  /** For one more claimed name, once those that fell silent made room. */
  #hasRoom(nowMs: number): boolean {
    if (this.#claimedEver >= MOST_CLAIMED_EVER) return false;
    if (this.#claimed.size < MOST_CLAIMED) return true;
    for (const [key, lastMs] of this.#claimed) {
      if (nowMs - lastMs < CLAIMED_MS) break;
      this.#claimed.delete(key);
    }
    return this.#claimed.size < MOST_CLAIMED;
  }

  #ofClaimed(key: string): boolean {
    const [type, name = ''] = parseSeriesKey(key).component.split('/', 2);
    return (type === 'job' || type === 'service') && this.#isClaimed(name, type);
  }
}
