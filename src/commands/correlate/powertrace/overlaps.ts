// Intervals that overlap, without looking at every pair.

export interface Interval {
  readonly startS: number;
  readonly endS: number;
}

/** Of each interval the places of those that it overlaps, in order; intervals that touch overlap. */
export function overlapsOf(intervals: readonly Interval[]): number[][] {
  const count = intervals.length;
  const starts = new Float64Array(count);
  const ends = new Float64Array(count);
  const order = new Uint32Array(count);
  for (const [place, { startS, endS }] of intervals.entries()) {
    starts[place] = startS;
    ends[place] = endS;
    order[place] = place;
  }
  order.sort((a, b) => (starts[a] ?? 0) - (starts[b] ?? 0) || a - b);
  return inOrder(swept(order, starts, ends));
}

/** The same with the others of each in any order. Loops by place: this runs once, uncompiled. */
function swept(order: Uint32Array, starts: Float64Array, ends: Float64Array): number[][] {
  const found: number[][] = Array.from(order, () => []);
  // Those that have begun and may not have ended.
  const open: number[] = [];
  for (let index = 0; index < order.length; index += 1) {
    const place = order[index] ?? 0;
    const startS = starts[place] ?? 0;
    const endS = ends[place] ?? 0;
    let left = 0;
    for (let at = 0; at < open.length; at += 1) {
      const each = open[at] ?? 0;
      if ((ends[each] ?? 0) < startS) continue;
      open[left] = each;
      left += 1;
      // One that ends before it begins overlaps those alone that began by its end.
      if ((starts[each] ?? 0) > endS) continue;
      found[each]?.push(place);
      found[place]?.push(each);
    }
    open.length = left;
    open.push(place);
  }
  return found;
}

/** Puts the places of each list in order, without comparing any: each place in turn goes to the end of its others' lists. */
function inOrder(lists: readonly number[][]): number[][] {
  const sorted: number[][] = lists.map(() => []);
  for (let place = 0; place < lists.length; place += 1) {
    const others = lists[place] ?? [];
    for (let index = 0; index < others.length; index += 1) sorted[others[index] ?? 0]?.push(place);
  }
  return sorted;
}
