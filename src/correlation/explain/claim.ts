// Claim: what an incident says beyond its root — that this root brought about what the work suffered — and by which step it holds.

import type { Assigned, Believed, Condition, Edge, Way, Weighed } from '../belief/condition.ts';
import { isWork } from '../graph/doubts/doubts.ts';
import { isExplaining } from '../graph/kind-roles.ts';

export interface Claim {
  /** What the root is said to have brought about. */
  readonly effect: Condition;
  /** The step on the way from the root to it that is the least sure. */
  readonly weakest: Weighed;
  /** The strongest other cause of that step's effect that leads out of the cluster, against this one; 0 to 1. */
  readonly rival: number;
  /** The root of that one; null for none. */
  readonly other: Condition | null;
}

const ROOT: Way = { weakest: null, weight: 1 };
const NO_WAY: Way = { weakest: null, weight: 0 };

/** Within the hardware one fault shows in several ways: so much of the doubt whether one follows from the other counts. */
const OF_HARDWARE = 1 / 3;

/** What is left of a share for a step that does not lead to work. */
export function softened({ effect }: Edge, share: number): number {
  return isWork(effect) ? share : 1 - OF_HARDWARE * (1 - share);
}

/** Null for a root alone, and for what is planned. */
export function claimOf(cluster: Believed): Claim | null {
  const { root, members } = cluster;
  if (members.length < 2 || isExplaining(root.kind)) return null;
  const work = members.some(({ condition }) => condition !== root && condition.roles.affectsJob);
  let best: { readonly member: Assigned; readonly way: Way } | null = null;
  for (const member of members) {
    const { condition } = member;
    if (condition === root || (work && !condition.roles.affectsJob)) continue;
    const way = wayTo(member);
    if (best === null || way.weight > best.way.weight) best = { member, way };
  }
  const weakest = best?.way.weakest;
  if (best === null || weakest === null || weakest === undefined) return null;
  return { effect: best.member.condition, weakest, ...rivalOf(weakest, cluster) };
}

/** Found once for each member: what is above most of them is the same as it was at the last revision. */
function wayTo(member: Assigned): Way {
  const { condition, root } = member;
  if (condition === root) return ROOT;
  if (member.way !== null) return member.way;
  member.way = NO_WAY;
  let best = NO_WAY;
  for (const step of member.causedBy) {
    const above = step.edge.cause.belief.assigned;
    const before = above?.root === root ? wayTo(above) : NO_WAY;
    // The same at several places is one fault, and no claim that one brought about the other.
    const weight = step.edge.cause.kind === condition.kind ? 1 : softened(step.edge, step.weight);
    const way = weight < before.weight ? { weakest: step, weight } : before;
    if (way.weight > best.weight) best = way;
  }
  member.way = best;
  return best;
}

function rivalOf({ edge, weight }: Weighed, cluster: Believed): Pick<Claim, 'rival' | 'other'> {
  for (const { edge: one, weight: strongest } of edge.effect.belief.weighed) {
    const { root } = one.cause.belief;
    // By weight: the first that leads elsewhere is the strongest.
    if (root !== cluster.root) return { rival: Math.min(1, strongest / weight), other: root };
  }
  return { rival: 0, other: null };
}
