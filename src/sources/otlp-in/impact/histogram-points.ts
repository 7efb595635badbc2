// Histogram points: requests out of a point of either kind of histogram, without those that an earlier point of its series had.

import type { ExponentialPoint, HistogramPoint } from '../wire/shapes.ts';

/** Requests about as long as each other. */
export interface Bunch {
  readonly value: number;
  readonly count: number;
}

/** What a series had so far. */
export interface Seen {
  readonly startMs: number;
  readonly timeMs: number;
  /** By bucket. */
  readonly counts: ReadonlyMap<number, number>;
}

/** A bucket is as wide as its bounds: its requests are spread over so many places in it. */
const PARTS = 4;

/** SDKs make 160 at most by themselves. */
const MOST_BUCKETS = 1024;

/** Count and value by bucket; text says why there is none. */
export function bucketsOf(point: HistogramPoint | ExponentialPoint): Map<number, Bunch[]> | string {
  const explicit = 'bucketCounts' in point ? point.bucketCounts : undefined;
  const exponential = 'positive' in point ? point.positive?.bucketCounts : undefined;
  if (Math.max(explicit?.length ?? 0, exponential?.length ?? 0) > MOST_BUCKETS)
    return `has more than ${MOST_BUCKETS} buckets`;
  const isExplicit = 'explicitBounds' in point || !('scale' in point || 'positive' in point);
  const buckets = isExplicit ? ofBounds(point) : ofScale(point);
  return buckets ?? 'bucket_counts and explicit_bounds do not fit each other';
}

/** What came since `seen`; all of it where the series began again. */
export function since(buckets: ReadonlyMap<number, Bunch[]>, seen: Seen | undefined, startMs: number): Bunch[] {
  const began = seen === undefined || seen.startMs !== startMs || isLess(buckets, seen);
  return [...buckets].flatMap(([bucket, bunches]) => {
    const total = countOf(bunches);
    const fresh = began ? total : total - (seen?.counts.get(bucket) ?? 0);
    return total === 0 || fresh <= 0
      ? []
      : bunches.map(({ value, count }) => ({ value, count: (count * fresh) / total }));
  });
}

export function countsOf(buckets: ReadonlyMap<number, Bunch[]>): Map<number, number> {
  return new Map([...buckets].map(([bucket, bunches]) => [bucket, countOf(bunches)]));
}

function isLess(buckets: ReadonlyMap<number, Bunch[]>, { counts }: Seen): boolean {
  return [...counts].some(([bucket, count]) => countOf(buckets.get(bucket) ?? []) < count);
}

function countOf(bunches: readonly Bunch[]): number {
  return bunches.reduce((sum, { count }) => sum + count, 0);
}

function ofBounds({
  explicitBounds: bounds = [],
  bucketCounts: counts = [],
}: HistogramPoint): Map<number, Bunch[]> | null {
  if (counts.length !== bounds.length + 1 || counts.length < 2) return null;
  const found = new Map<number, Bunch[]>();
  for (const [i, count] of counts.entries()) {
    if (!(count > 0)) continue;
    const low = bounds[i - 1] ?? 0;
    const high = bounds[i] ?? low;
    const parts: Bunch[] = [];
    for (let part = 0; part < PARTS; part += 1)
      parts.push({ value: low + ((high - low) * (part + 0.5)) / PARTS, count: count / PARTS });
    found.set(i, parts);
  }
  return found;
}

function ofScale({ scale = 0, zeroCount = 0, positive }: ExponentialPoint): Map<number, Bunch[]> | null {
  const base = 2 ** (2 ** -scale);
  if (!(base > 1) || !Number.isFinite(base)) return null;
  const found = new Map<number, Bunch[]>();
  if (zeroCount > 0) found.set(Number.NEGATIVE_INFINITY, [{ value: 0, count: zeroCount }]);
  for (const [i, count] of positive?.bucketCounts?.entries() ?? []) {
    const bucket = (positive?.offset ?? 0) + i;
    const value = base ** (bucket + 0.5);
    if (count > 0 && Number.isFinite(value)) found.set(bucket, [{ value, count }]);
  }
  return found;
}
