// Series list: the columns that the core hands over each second as a list of objects, the same ones again every second: new ones were
// a twentieth of all that the daemon allocated.

import type { Aggregates } from '../native.ts';
import type { SeriesAggregate } from './sink.ts';

type Kept = { -readonly [Field in keyof SeriesAggregate]: SeriesAggregate[Field] };

export class SeriesList {
  readonly #kept: Kept[] = [];

  /** Those whose key is known. To be read at once: the objects are others with the next call. */
  of(aggregates: Aggregates, keys: readonly string[]): readonly SeriesAggregate[] {
    const { ids, count, min, max, mean, last, lastTimeMs } = aggregates;
    let used = 0;
    for (let i = 0; i < ids.length; i += 1) {
      const key = keys[ids[i] ?? -1];
      if (key === undefined) continue;
      const one = this.#at(used, key);
      used += 1;
      one.key = key;
      one.count = count[i] ?? 0;
      one.min = min[i] ?? Number.NaN;
      one.max = max[i] ?? Number.NaN;
      one.mean = mean[i] ?? Number.NaN;
      one.last = last[i] ?? Number.NaN;
      one.lastTimeMs = lastTimeMs[i] ?? Number.NaN;
    }
    return used === this.#kept.length ? this.#kept : this.#kept.slice(0, used);
  }

  #at(index: number, key: string): Kept {
    const known = this.#kept[index];
    if (known !== undefined) return known;
    // Numbers that are no small integers from the start: their places are written in, and never made again.
    const made = {
      key,
      count: 0,
      min: Number.NaN,
      max: Number.NaN,
      mean: Number.NaN,
      last: Number.NaN,
      lastTimeMs: Number.NaN,
    };
    this.#kept.push(made);
    return made;
  }
}
