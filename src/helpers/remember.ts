// A map that remembers a number of keys: where there are too many, the one that was set or recalled longest ago goes.

/** Sets the value; its key is the youngest now. */
export function remember<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  // Alone in the map it is the youngest: a map that is deleted from and set again has to be made again every few times.
  if (map.size === 1 && most > 0 && map.has(key)) {
    map.set(key, value);
    return;
  }
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
}

/** The value of the key, made where there is none; its key is the youngest now. */
export function recall<K, V>(map: Map<K, V>, key: K, make: () => V, most: number): V {
  const known = map.get(key);
  // Alone in the map it is the youngest.
  if (known !== undefined && map.size === 1) return known;
  const value = known ?? make();
  remember(map, key, value, most);
  return value;
}

/** Deletes the oldest keys that may go, `most` of them at most. Returns those that went. */
export function forgetOldest<K>(keys: Map<K, unknown> | Set<K>, mayGo: (key: K) => boolean, most: number): K[] {
  const gone: K[] = [];
  for (const key of keys.keys()) {
    if (gone.length >= most) break;
    if (mayGo(key)) gone.push(key);
  }
  for (const key of gone) keys.delete(key);
  return gone;
}
