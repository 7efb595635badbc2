// Links: the direct causes of each member of a cluster, out of all that are believed.

import { byOnset, type Condition } from '../window/condition.ts';
import type { Assigned } from './cluster.ts';
import { FLOOR, type Weighed } from './weighing.ts';

const MAX_CAUSED_BY = 16;
/** Of more members than this, far more than are told, each is linked to its best cause alone. */
export const MAX_LINKED = 256;
/** So many causes of one condition are compared with each other. */
const COMPARED = 32;
const NONE: readonly Weighed[] = [];

/**
 * What certainly began after its effect may still be its cause, by the delay with which it is seen; but not where another
 * one, at least half as likely, was there in time.
 */
function inTime(causes: readonly Weighed[]): readonly Weighed[] {
  if (causes.length < 2) return causes;
  const best = Math.max(...causes.map(({ edge, weight }) => (edge.timing.causeFirst > 0 ? weight : 0)));
  return causes.filter(({ edge, weight }) => edge.timing.causeFirst > 0 || best < weight / 2);
}

/** Root first, then by onset; a cause that is already the cause of another, nearer one is none of its own. */
export function linkMembers(root: Condition, members: readonly Condition[]): Assigned[] {
  if (members.length === 1) return [{ condition: root, root, weighed: root.standing.weighed, causedBy: NONE }];
  const inside = new Set(members);
  const flood = members.length > MAX_LINKED;
  const believed = new Map<Condition, readonly Weighed[]>();
  for (const member of members) {
    const { weighed } = member.standing;
    const own = member === root ? NONE : weighed.filter((w) => w.weight >= FLOOR && inside.has(w.edge.cause));
    believed.set(member, own.slice(0, flood ? 1 : COMPARED));
  }
  const above = new Map<Condition, ReadonlySet<Condition>>();
  const ancestors = (condition: Condition): ReadonlySet<Condition> => {
    const known = above.get(condition);
    if (known !== undefined) return known;
    const found = new Set<Condition>();
    above.set(condition, found);
    for (const { edge } of believed.get(condition) ?? NONE) {
      found.add(edge.cause);
      for (const further of ancestors(edge.cause)) found.add(further);
    }
    return found;
  };
  const assigned = members.map((condition): Assigned => {
    const causes = inTime(believed.get(condition) ?? NONE);
    const nearest =
      causes.length < 2
        ? causes
        : causes.filter(
            (far) =>
              !causes.some(
                (near) =>
                  near !== far && near.weight >= far.weight / 2 && ancestors(near.edge.cause).has(far.edge.cause),
              ),
          );
    return { condition, root, weighed: condition.standing.weighed, causedBy: nearest.slice(0, MAX_CAUSED_BY) };
  });
  return assigned.sort(
    (a, b) => Number(b.condition === root) - Number(a.condition === root) || byOnset(a.condition, b.condition),
  );
}
