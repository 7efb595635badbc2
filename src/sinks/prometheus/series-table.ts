// Series table: the newest value of every series that is still being read; what stopped coming goes away by itself.

import type { SeriesAggregate } from '../sink.ts';
import { MinuteWindow } from './window.ts';

/** A series is gone after this many of its own intervals without a sample. */
const STALE_INTERVALS = 3;
/** No series is judged faster than this: aggregates come once a second, and a busy machine is late. */
const SHORTEST_LIFE_MS = 5_000;
/** What came twice at once is not a slow series, whatever its interval is: until that is known it is taken for this long. */
const FIRST_INTERVAL_MS = 5_000;
/** What came only once has no interval yet. The same span after which Prometheus itself drops a silent series. */
const FIRST_LIFE_MS = 300_000;
/** A known interval shrinks by this much a reading: one short gap between two late readings does not count. */
const SHRINK = 0.8;
const SWEEP_MS = 30_000;

/** Good until the next update: a new object for each series at each scrape would outlive the young generation, all at once. */
export interface Snapshot<Row> {
  readonly key: string;
  readonly row: Row;
  readonly last: number;
  readonly lastTimeMs: number;
  /** Lowest and highest of the last minute; null where the row wants none. */
  readonly range: { readonly min: number; readonly max: number } | null;
}

interface Entry<Row> extends Snapshot<Row> {
  readonly window: MinuteWindow | null;
  last: number;
  lastTimeMs: number;
  range: Snapshot<Row>['range'];
  intervalMs: number | null;
}

export interface SeriesTableOptions<Row> {
  readonly maxSeries: number;
  /** What a series is, by its key; null leaves it out. Asked once per series. */
  readonly rowOf: (key: string) => Row | null;
  readonly wantsRange: (row: Row) => boolean;
}

export class SeriesTable<Row> {
  readonly #options: SeriesTableOptions<Row>;
  readonly #entries = new Map<string, Entry<Row>>();
  /** Keys that the table does not know, so that they are looked up once; bounded by the core's own series limit. */
  readonly #ignored = new Set<string>();
  #leftOut = new Set<string>();
  #sweptMs = Number.NEGATIVE_INFINITY;

  constructor(options: SeriesTableOptions<Row>) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Series that had no place since the last sweep. */
  get leftOut(): number {
    return this.#leftOut.size;
  }

  update(aggregates: readonly SeriesAggregate[], nowMs: number): void {
    if (nowMs - this.#sweptMs >= SWEEP_MS) this.#sweep(nowMs);
    for (const aggregate of aggregates) {
      const entry = this.#entries.get(aggregate.key) ?? this.#enter(aggregate.key);
      if (entry !== null) take(entry, aggregate);
    }
  }

  /** Everything that is fresh, in no order. */
  snapshots(nowMs: number): Snapshot<Row>[] {
    const fresh: Snapshot<Row>[] = [];
    // A callback makes no pair of each entry, as a loop does.
    this.#entries.forEach((entry) => {
      if (isStale(entry, nowMs)) return;
      entry.range = entry.window?.range(nowMs) ?? null;
      fresh.push(entry);
    });
    return fresh;
  }

  #enter(key: string): Entry<Row> | null {
    if (this.#ignored.has(key)) return null;
    const row = this.#options.rowOf(key);
    if (row === null) {
      this.#ignored.add(key);
      return null;
    }
    if (this.#entries.size >= this.#options.maxSeries) {
      this.#leftOut.add(key);
      return null;
    }
    const window = this.#options.wantsRange(row) ? new MinuteWindow() : null;
    const nothing = { last: Number.NaN, lastTimeMs: Number.NEGATIVE_INFINITY, range: null, intervalMs: null };
    const entry: Entry<Row> = { key, row, window, ...nothing };
    this.#entries.set(key, entry);
    return entry;
  }

  #sweep(nowMs: number): void {
    this.#sweptMs = nowMs;
    this.#leftOut = new Set();
    this.#entries.forEach((entry, key) => {
      if (isStale(entry, nowMs)) this.#entries.delete(key);
    });
  }
}

function take<Row>(entry: Entry<Row>, aggregate: SeriesAggregate): void {
  const { lastTimeMs, count, last, min, max } = aggregate;
  if (!(lastTimeMs >= entry.lastTimeMs)) return; // older than what is known, or no time at all
  if (entry.lastTimeMs > Number.NEGATIVE_INFINITY && count > 0 && lastTimeMs > entry.lastTimeMs) {
    const interval = (lastTimeMs - entry.lastTimeMs) / count;
    entry.intervalMs = Math.max(interval, (entry.intervalMs ?? 0) * SHRINK);
  } else if (count > 1) entry.intervalMs ??= FIRST_INTERVAL_MS;
  entry.last = last;
  entry.lastTimeMs = lastTimeMs;
  entry.window?.take(min, max, lastTimeMs);
}

function isStale<Row>(entry: Entry<Row>, nowMs: number): boolean {
  const life = entry.intervalMs === null ? FIRST_LIFE_MS : entry.intervalMs * STALE_INTERVALS;
  return nowMs - entry.lastTimeMs > Math.max(life, SHORTEST_LIFE_MS);
}
