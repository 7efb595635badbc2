// PushedSeries: hands samples of sources to the core, and holds how many series of it the word of tenants may take: it gives none back.

import type { Trust } from '../model/event.ts';
import { parseSeriesKey } from '../model/reading.ts';
import type { SampleBatch } from '../model/record.ts';
import { formatTraceparent, parseTraceparent } from '../model/trace.ts';
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

/** The samples of a step, and of most devices, are fewer: for them it is made once. */
const MOST_IN_ROOM = 64;

interface Room {
  readonly ids: Uint32Array;
  readonly times: Float64Array;
  readonly values: Float64Array;
}

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
  readonly #core: Pick<NativeCore, 'series' | 'push'>;
  /** By the number of samples in them. */
  readonly #rooms: (Room | undefined)[] = [];
  readonly #isClaimed: IsClaimed;
  readonly #series = new Map<string, Pushed>();
  #ofTenants = 0;
  /** Claimed ones in use: when the last sample came, ms, the oldest first. */
  readonly #claimed = new Map<string, number>();
  #claimedEver = 0;

  constructor(core: Pick<NativeCore, 'series' | 'push'>, isClaimed: IsClaimed) {
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

  /** `silent`: for evidence only. */
  push(batch: SampleBatch, silent: boolean): void {
    const count = batch.keys.length;
    const { ids, times, values } = this.#room(count);
    for (let i = 0; i < count; i += 1) {
      const timeMs = batch.timesMs[i] ?? Number.NaN;
      ids[i] = this.id(batch.keys[i] ?? '', batch, silent, timeMs);
      times[i] = timeMs;
      values[i] = batch.values[i] ?? Number.NaN;
    }
    const context = batch.traceparent === undefined ? null : parseTraceparent(batch.traceparent);
    if (context === null) this.#core.push(ids, times, values);
    else this.#core.push(ids, times, values, formatTraceparent(context));
  }

  /** Where so many samples are put on their way: the core has taken them when its call returns. */
  #room(count: number): Room {
    const known = this.#rooms[count];
    if (known !== undefined) return known;
    const made = { ids: new Uint32Array(count), times: new Float64Array(count), values: new Float64Array(count) };
    if (count <= MOST_IN_ROOM) this.#rooms[count] = made;
    return made;
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
