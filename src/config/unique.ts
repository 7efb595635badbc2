// Unique: two entries of a list that must not have the same name.

import type { Findings } from './findings.ts';

/** FL1110 for each of `names` that an entry before it has; `key` is the entry's key that holds it. */
export function unique(names: readonly string[], pointer: string, key: string, findings: Findings): void {
  const seen = new Map<string, number>();
  for (const [i, name] of names.entries()) {
    const first = seen.get(name);
    if (first === undefined) seen.set(name, i);
    else findings.problem('FL1110', `${pointer}/${i}/${key}`, `is that of entry [${first}] too. Give each its own`);
  }
}
