// Thin: chooses which samples of a long series to keep so that every peak and every dip stays.

/**
 * Indices to keep, in order, at most `limit` (at least 2): the lowest and the highest of each of limit / 2 equal parts.
 * All of them where the series is short enough.
 */
export function thin(timesMs: Float64Array, values: Float64Array, limit: number): number[] {
  const length = Math.min(timesMs.length, values.length);
  if (length <= Math.max(limit, 2)) return Array.from({ length }, (_, index) => index);
  const parts = Math.max(Math.floor(limit / 2), 1);
  const kept: number[] = [];
  for (let part = 0; part < parts; part += 1) {
    const start = Math.floor((part * length) / parts);
    const end = Math.floor(((part + 1) * length) / parts);
    let low = start;
    let high = start;
    for (let at = start; at < end; at += 1) {
      const value = values[at] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      if (!(value >= (values[low] ?? Number.NaN))) low = at; // also where the one before is not a number
      if (!(value <= (values[high] ?? Number.NaN))) high = at;
    }
    kept.push(Math.min(low, high));
    if (low !== high) kept.push(Math.max(low, high));
  }
  return kept;
}
