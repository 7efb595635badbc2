// Remember: a map that holds what was set last, up to a number of keys.

/** Sets the value and lets the one go that was set longest ago where there are too many. */
export function remember<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.size > most ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
}
