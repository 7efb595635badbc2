// Object identifiers as dotted text: the few operations that walking a tree needs.

const DOT = 46;

/** Without the leading dot that some agents send. */
export function normalOid(oid: string): string {
  return oid.startsWith('.') ? oid.slice(1) : oid;
}

/** The part of `oid` below `base` ("3.1" for base "1.2" and oid "1.2.3.1"), null when it is not below it. */
export function oidSuffix(base: string, oid: string): string | null {
  return oid.startsWith(`${base}.`) ? oid.slice(base.length + 1) : null;
}

/**
 * True when `next` comes strictly after `oid` in lexicographic order of the numbers. Of a walk's objects most of the text is the
 * same, so that only the first number in which they differ is read.
 */
export function oidFollows(oid: string, next: string): boolean {
  const most = Math.min(oid.length, next.length);
  let same = 0;
  while (same < most && oid.charCodeAt(same) === next.charCodeAt(same)) same += 1;
  if (same === next.length) return false;
  if (same === oid.length && next.charCodeAt(same) === DOT) return true;
  const start = same === 0 ? 0 : next.lastIndexOf('.', same - 1) + 1;
  return numberAt(next, start) > numberAt(oid, start);
}

/** The number that begins there; NaN where there is none. */
function numberAt(oid: string, start: number): number {
  const end = oid.indexOf('.', start);
  return Number(end < 0 ? oid.slice(start) : oid.slice(start, end));
}
