// Reads JSON that another host wrote into a shared folder: what is missing or of another type is null.

const MOST_TEXT = 1000;

export function textAt(value: unknown, key: string): string | null {
  const found = at(value, key);
  return typeof found === 'string' && found.length <= MOST_TEXT ? found : null;
}

export function numberAt(value: unknown, key: string): number | null {
  const found = at(value, key);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

export function listAt(value: unknown, key: string, most: number): readonly unknown[] {
  const found = at(value, key);
  return Array.isArray(found) ? found.slice(0, most) : [];
}

export function at(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
  return (value as Record<string, unknown>)[key]; // an own property of an object
}
