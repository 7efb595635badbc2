// Wildcard: does a file name match a pattern of `*` and `?`; linear in name times stars, never a regular expression.

export function hasWildcard(name: string): boolean {
  return name.includes('*') || name.includes('?');
}

/** `*` is any run of characters, `?` is one; a leading dot must be written out, as in a shell. */
export function matchesWildcard(name: string, pattern: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  let at = 0;
  let star = -1;
  let resume = 0;
  let p = 0;
  while (at < name.length) {
    if (pattern[p] === '*') {
      star = p;
      resume = at;
      p += 1;
    } else if (pattern[p] === '?' || pattern[p] === name[at]) {
      p += 1;
      at += 1;
    } else if (star >= 0) {
      p = star + 1;
      resume += 1;
      at = resume;
    } else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}
