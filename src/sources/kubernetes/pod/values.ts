// Values of an API object, whether they were JSON or protobuf: what is not of its kind is absent.

/** Of one list; the longest real ones are a container's variables. */
const MOST_ITEMS = 4096;

export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string, unknown>)[key]; // an object, by the line above
  }
  return here;
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.slice(0, MOST_ITEMS) : [];
}

/** Null for what is empty, absent or too long; control characters make it absent as well. */
export function wordAt(value: unknown, ...path: readonly string[]): string | null {
  return word(at(value, ...path));
}

export function word(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,253}$/.test(value) ? value : null;
}

/** Text for people: cut, in one line. */
export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = at(value, ...path);
  if (typeof found !== 'string' || found === '') return null;
  return found.slice(0, 512).replaceAll(/[\p{C}\s]+/gu, ' ').trim() || null; // biome-ignore format: one chain
}

export function numberAt(value: unknown, ...path: readonly string[]): number | null {
  const found = at(value, ...path);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

/** Epoch ms of a time as JSON ("2026-11-29T05:00:00Z") or protobuf ({seconds, nanos}) has it. */
export function timeAt(value: unknown, ...path: readonly string[]): number | null {
  const found = at(value, ...path);
  const seconds = numberAt(found, 'seconds');
  const ms = typeof found === 'string' ? Date.parse(found) : seconds === null ? Number.NaN : seconds * 1000;
  const exact = ms + Math.floor((numberAt(found, 'nanos') ?? 0) / 1e6);
  return exact > 0 && exact < 4e12 ? exact : null;
}
