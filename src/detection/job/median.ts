// Median of a few values, as several watches of this room take it.

/** Of an even number the upper of the two in the middle; 0 for none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
