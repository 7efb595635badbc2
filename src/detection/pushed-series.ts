// PushedSeries: series that sources hand over, and how many of the core's the word of tenants may take: none is ever given back.

import type { Trust } from '../model/event.ts';
import { parseSeriesKey } from '../model/reading.ts';
import type { SampleBatch } from '../model/record.ts';
import type { NativeCore } from '../native.ts';

/** Of the 16,384 that the core has: devices need theirs. */
export const MOST_OF_TENANTS = 8192;
/** Of jobs and services that nothing but their senders name; a job has some eight. */
export const MOST_CLAIMED = 512;
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
  #claimed = 0;

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

  /** Its number in the core, made where there is none. */
  id(key: string, { source, trust }: SampleBatch, silent: boolean): number {
    const known = this.#series.get(key);
    if (known !== undefined) return known.id;
    const claimed = this.#ofClaimed(key);
    const tenants = trust === 'tenant';
    if ((claimed && this.#claimed >= MOST_CLAIMED) || (tenants && this.#ofTenants >= MOST_OF_TENANTS)) return NO_SERIES;
    const id = this.#core.series(key);
    // Names that have no place are without end: nothing is remembered of them.
    if (id === NO_SERIES) return id;
    if (claimed) this.#claimed += 1;
    if (tenants) this.#ofTenants += 1;
    this.#series.set(key, { id, source, trust, silent });
    return id;
  }

  #ofClaimed(key: string): boolean {
    const [type, name = ''] = parseSeriesKey(key).component.split('/', 2);
    return (type === 'job' || type === 'service') && this.#isClaimed(name, type);
  }
}
