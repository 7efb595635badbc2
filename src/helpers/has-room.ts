// Room in a map or set that outsiders fill: what is in it already may change, what is new is refused once it is full.

interface Keyed<K> {
  readonly size: number;
  has(key: K): boolean;
}

export function hasRoom<K>(keys: Keyed<K>, key: K, most: number): boolean {
  return keys.size < most || keys.has(key);
}
