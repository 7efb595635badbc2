// Pairs of intervals that overlap, without looking at every pair.

export interface Interval {
  readonly startS: number;
  readonly endS: number;
}

/** Tells of each pair that overlaps, a < b, in order of a, then b; intervals that touch overlap. */
export function eachOverlap(intervals: readonly Interval[], tell: (a: number, b: number) => void): void {
  const starts = Float64Array.from(intervals, ({ startS }) => startS);
  const ends = Float64Array.from(intervals, ({ endS }) => endS);
  const order = Uint32Array.from(intervals, (_, index) => index).sort(
    (a, b) => (starts[a] ?? 0) - (starts[b] ?? 0) || a - b,
  );
  const later: number[][] = intervals.map(() => []);
  // Those that have begun and may not have ended.
  const open: number[] = [];
  order.forEach((index) => {
    dropEnded(open, ends, starts[index] ?? 0);
    const endS = ends[index] ?? 0;
    // One that ends before it begins overlaps those alone that began by its end.
    open.forEach((each) => {
      if ((starts[each] ?? 0) <= endS) later[Math.min(each, index)]?.push(Math.max(each, index));
    });
    open.push(index);
  });
  later.forEach((others, a) => {
    if (others.length > 1) others.sort((x, y) => x - y);
    others.forEach((b) => {
      tell(a, b);
    });
  });
}

/** In place. */
function dropEnded(open: number[], ends: Float64Array, atS: number): void {
  let kept = 0;
  open.forEach((each) => {
    if ((ends[each] ?? 0) < atS) return;
    open[kept] = each;
    kept += 1;
  });
  open.length = kept;
}
