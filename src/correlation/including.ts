// Including: a set that is made only when something goes into it.

import type { Condition } from './belief/condition.ts';

/** Null while there are none, as for nearly every event. */
export function including(known: Set<Condition> | null, more: Iterable<Condition>): Set<Condition> | null {
  let all = known;
  for (const one of more) {
    all ??= new Set();
    all.add(one);
  }
  return all;
}
