// Medians of a few values.

/** Of an even number the mean of the two in the middle; null for none. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : ((sorted[(sorted.length >> 1) - 1] ?? upper) + upper) / 2;
}

/** One of the values: of an even number the upper of the two in the middle; null for none. */
export function upperMedian(values: readonly number[] | Float64Array): number | null {
  return quantile(values, 0.5);
}

/** One of the values: that which the share `q` of them is below; null for none. */
export function quantile(values: readonly number[] | Float64Array, q: number): number | null {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? null;
}
