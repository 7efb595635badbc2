// Of one cause: whether the cause graph has anything that can be behind two faults: one of them, or a third that leads to both.

import { causesOf } from '../../correlation/graph/cause-graph.ts';
import type { Incident } from '../../model/incident.ts';
import { hasRole, type Kind } from '../../model/kind.ts';
import { placeOf } from './one-fault/groups.ts';

/** What several hosts have in common. */
const SHARED = /^(?:power|cooling)\./;

export function mayBeOfOne(one: Incident, other: Incident): boolean {
  const [a, b] = [one.root.kind, other.root.kind];
  if (causesOf(a).has(b) || causesOf(b).has(a)) return true;
  const behind = causesBehind(a);
  const isLocal = placeOf(one) === placeOf(other);
  return [...causesBehind(b)].some((kind) => behind.has(kind) && (isLocal || SHARED.test(kind)));
}

/** Over any number of steps; what an operator does may be behind anything, and says nothing. */
function causesBehind(kind: Kind): ReadonlySet<Kind> {
  const all = new Set<Kind>();
  const left = [kind];
  for (let next = left.pop(); next !== undefined; next = left.pop())
    for (const cause of causesOf(next).keys()) {
      if (all.has(cause) || hasRole(cause, 'explains')) continue;
      all.add(cause);
      left.push(cause);
    }
  return all;
}
