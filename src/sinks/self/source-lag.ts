// Source lag: how old the newest sample of each source was when the aggregates were taken.

import { parseComponent } from '../../model/component.ts';
import { parseSeriesKey } from '../../model/reading.ts';
import type { AnySource } from '../../sources/define-source.ts';
import { SOURCES } from '../../sources/registry.ts';
import type { SeriesAggregate } from '../sink.ts';

const MAX_SOURCES = 512;

/** Component type → the source that it shows the lag of; `device`: of each device by its name, the first part of the ids. */
type LagOwners = ReadonlyMap<string, { readonly source: string; readonly of: 'source' | 'device' }>;

export class SourceLag {
  readonly #newestMs = new Map<string, number>();
  /** Key → source, so that keys are taken apart once; bounded by the core's own series limit. */
  readonly #sources = new Map<string, string | null>();

  readonly #owners: LagOwners;

  constructor(sources: readonly AnySource[] = SOURCES) {
    this.#owners = lagOwners(sources);
  }

  series(aggregates: readonly SeriesAggregate[]): void {
    for (const { key, lastTimeMs } of aggregates) {
      const known = this.#sources.get(key);
      const source = known === undefined ? this.#sourceOf(key) : known;
      if (known === undefined) this.#sources.set(key, source);
      if (source === null || (!this.#newestMs.has(source) && this.#newestMs.size >= MAX_SOURCES)) continue;
      const before = this.#newestMs.get(source) ?? Number.NEGATIVE_INFINITY;
      if (lastTimeMs > before) this.#newestMs.set(source, lastTimeMs);
    }
  }

  /** Source and seconds. */
  *lags(nowMs: number): Generator<readonly [string, number]> {
    for (const [source, newestMs] of this.#newestMs) yield [source, Math.max(0, nowMs - newestMs) / 1000];
  }

  #sourceOf(key: string): string | null {
    const component = parseComponent(parseSeriesKey(key).component);
    const owner = component === null ? undefined : this.#owners.get(component.type);
    if (component === null || owner === undefined) return null;
    return owner.of === 'device' ? `${owner.source}/${component.id.split('/')[0]}` : owner.source;
  }
}

function lagOwners(sources: readonly AnySource[]): LagOwners {
  const owners = sources.flatMap(({ name: source, components }) =>
    Object.entries(components).flatMap(([type, { lag }]) =>
      lag === undefined ? [] : [[type, { source, of: lag }] as const],
    ),
  );
  return new Map(owners);
}
