// Object identifiers as dotted text: the few operations that walking a tree needs.

/** Without the leading dot that some agents send. */
export function normalOid(oid: string): string {
  return oid.startsWith('.') ? oid.slice(1) : oid;
}

/** The part of `oid` below `base` ("3.1" for base "1.2" and oid "1.2.3.1"), null when it is not below it. */
export function oidSuffix(base: string, oid: string): string | null {
  return oid.startsWith(`${base}.`) ? oid.slice(base.length + 1) : null;
}

/** True when `next` comes strictly after `oid` in lexicographic order of the numbers. */
export function oidFollows(oid: string, next: string): boolean {
  const a = oid.split('.');
  const b = next.split('.');
  for (let i = 0; i < b.length; i += 1) {
    const left = a[i];
    if (left === undefined) return true;
    const difference = Number(b[i]) - Number(left);
    if (Number.isNaN(difference)) return false;
    if (difference !== 0) return difference > 0;
  }
  return false;
}
