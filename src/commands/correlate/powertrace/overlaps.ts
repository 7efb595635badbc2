// Pairs of intervals that overlap, without looking at every pair.

export interface Interval {
  readonly startS: number;
  readonly endS: number;
}

/** Indices [a, b] with a < b, in order of a, then b; intervals that touch overlap. */
export function overlaps(intervals: readonly Interval[]): [number, number][] {
  const order = intervals.map((_, index) => index).sort((a, b) => start(intervals, a) - start(intervals, b) || a - b);
  const pairs: [number, number][] = [];
  // Those that have begun and may not have ended.
  let open: number[] = [];
  for (const index of order) {
    const startS = start(intervals, index);
    if (open.some((each) => (intervals[each]?.endS ?? 0) < startS))
      open = open.filter((each) => (intervals[each]?.endS ?? 0) >= startS);
    // One that ends before it begins overlaps those alone that began by its end.
    const endS = intervals[index]?.endS ?? 0;
    for (const each of open)
      if (start(intervals, each) <= endS) pairs.push(each < index ? [each, index] : [index, each]);
    open.push(index);
  }
  return pairs.sort((x, y) => x[0] - y[0] || x[1] - y[1]);
}

function start(intervals: readonly Interval[], index: number): number {
  return intervals[index]?.startS ?? 0;
}
