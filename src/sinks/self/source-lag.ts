// Source lag: how old the newest sample of each source was when the aggregates were taken.

import { parseComponent } from '../../model/component.ts';
import { parseSeriesKey } from '../../model/reading.ts';
import type { SeriesAggregate } from '../sink.ts';

const MAX_SOURCES = 512;
/** Component type → source; PDUs and BMCs are told apart by name, what stands here is not. */
const SOURCE_OF: Readonly<Record<string, string>> = {
  gpu: 'gpu',
  gpu_instance: 'gpu',
  nvlink: 'gpu',
  cpu: 'cpu',
  host: 'system',
  job: 'job-log',
  rank: 'job-log',
};

export class SourceLag {
  readonly #newestMs = new Map<string, number>();
  /** Key → source, so that keys are taken apart once; bounded by the core's own series limit. */
  readonly #sources = new Map<string, string | null>();

  series(aggregates: readonly SeriesAggregate[]): void {
    for (const { key, lastTimeMs } of aggregates) {
      const known = this.#sources.get(key);
      const source = known === undefined ? sourceOf(key) : known;
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
}

function sourceOf(key: string): string | null {
  const component = parseComponent(parseSeriesKey(key).component);
  if (component === null) return null;
  const [owner] = component.id.split('/');
  if (component.type === 'pdu' || component.type.startsWith('pdu_')) return `pdu/${owner}`;
  if (component.type === 'psu' || component.type === 'fan') return `bmc/${owner}`;
  return SOURCE_OF[component.type] ?? null;
}
