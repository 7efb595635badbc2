// Mapping: where in the JSON of another system things are, as data: JSON pointers (RFC 6901), and nothing that is run.

export const POINTER_PATTERN = '^(/[^/]{1,64}){1,8}$';

export interface Mapping {
  readonly name: string;
  readonly items: string | null;
  readonly alert: string;
  readonly status: string | null;
  readonly resolved: readonly string[];
  readonly severity: string | null;
  readonly summary: string | null;
  readonly starts: string | null;
  readonly labels: string | null;
}

/** What is at a pointer; undefined where there is nothing. Inherited properties are not there. */
export function at(document: unknown, pointer: string): unknown {
  let value = document;
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
