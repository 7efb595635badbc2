// Links: the direct causes of each member of a cluster, out of all that are believed.

import type { Assigned, Condition, Weighed } from './condition.ts';
import { FLOOR } from './floor.ts';

const MAX_CAUSED_BY = 16;
/** Of more members than this, far more than are published, each is linked to its best cause alone. */
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
  let best = 0;
  let all = true;
  for (const { edge, weight } of causes) {
    if (edge.timing.causeFirst > 0) best = Math.max(best, weight);
    else all = false;
  }
  if (all) return causes;
  return causes.filter(({ edge, weight }) => edge.timing.causeFirst > 0 || best < weight / 2);
}

type Above = Map<Condition, ReadonlySet<Condition>>;

let passes = 0;

/**
 * Root first, then by onset; a cause that is already the cause of another, nearer one is none of its own. The members are
 * all that have this root, by onset. Where nothing moved above a member it stays the object that it was.
 */
export function linkMembers(root: Condition, members: readonly Condition[]): Assigned[] {
  passes += 1;
  const flood = members.length > MAX_LINKED;
  for (const member of members) {
    const { belief } = member;
    const believed = member === root ? NONE : believedOf(belief.weighed, root, flood ? 1 : COMPARED);
    if (areSame(believed, belief.believed)) continue;
    belief.believed = believed;
    belief.aboveMoved = passes;
  }
  const assigned = [assign(root, root, NONE)];
  const above: Above = new Map();
  for (const member of members) {
    if (member === root) continue;
    const { belief } = member;
    if (!flood) settle(member, passes);
    const before = belief.aboveMoved === passes || flood ? null : belief.assigned;
    const holds = before !== null && before.root === root && before.weighed === belief.weighed;
    assigned.push(holds ? before : assign(member, root, nearestOf(inTime(belief.believed), above)));
  }
  return assigned;
}

/** Finds out whether anything above the condition moved since it was linked last. */
function settle({ belief }: Condition, pass: number): void {
  const before = belief.settled;
  if (before === pass) return;
  belief.settled = pass;
  for (const { edge } of belief.believed) {
    const { cause } = edge;
    settle(cause, pass);
    if (cause.belief.aboveMoved > before) belief.aboveMoved = pass;
  }
}

/** Those inside the cluster, from all that were weighed, best first. */
function believedOf(weighed: readonly Weighed[], root: Condition, most: number): readonly Weighed[] {
  let outside = 0;
  let end = 0;
  for (; end < weighed.length && end - outside < most; end += 1) {
    const one = weighed[end];
    if (one === undefined || one.weight < FLOOR) break;
    if (one.edge.cause.belief.root !== root) outside += 1;
  }
  if (outside > 0) return weighed.slice(0, end).filter(({ edge }) => edge.cause.belief.root === root);
  return end === weighed.length ? weighed : weighed.slice(0, end);
}

function nearestOf(causes: readonly Weighed[], above: Above): readonly Weighed[] {
  if (causes.length < 2) return causes;
  const nearest = causes.filter((far) => !isFarther(far, causes, above));
  return nearest.length > MAX_CAUSED_BY ? nearest.slice(0, MAX_CAUSED_BY) : nearest;
}

function isFarther(far: Weighed, causes: readonly Weighed[], above: Above): boolean {
  for (const near of causes) {
    if (near !== far && near.weight >= far.weight / 2 && isAbove(far.edge.cause, near.edge.cause, above)) return true;
  }
  return false;
}

/** Whether the one may have brought about the other through any number of steps. Nearly always one or two are enough. */
function isAbove(far: Condition, near: Condition, above: Above): boolean {
  let further = false;
  for (const { edge } of near.belief.believed) {
    if (edge.cause === far) return true;
    if (edge.cause.belief.believed.length > 0) further = true;
  }
  return further && ancestors(near, above).has(far);
}

function ancestors(condition: Condition, above: Above): ReadonlySet<Condition> {
  const known = above.get(condition);
  if (known !== undefined) return known;
  const found = new Set<Condition>();
  above.set(condition, found);
  for (const { edge } of condition.belief.believed) {
    found.add(edge.cause);
    for (const further of ancestors(edge.cause, above)) found.add(further);
  }
  return found;
}

function assign(condition: Condition, root: Condition, causedBy: readonly Weighed[]): Assigned {
  const { belief } = condition;
  const { assigned: before, weighed, believed } = belief;
  const inside = believed.length === weighed.length;
  const holds = before !== null && before.root === root && before.weighed === weighed && before.inside === inside;
  if (holds && areSame(before.causedBy, causedBy)) {
    before.way = null;
    return before;
  }
  const assigned: Assigned = {
    condition, root, weighed, causedBy, inside, digested: null, digestedAtEnd: null, link: null, way: null,
  }; // biome-ignore format: one object
  belief.assigned = assigned;
  for (const { edge } of causedBy) edge.cause.belief.consequential = true;
  return assigned;
}

function areSame(a: readonly Weighed[], b: readonly Weighed[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}
