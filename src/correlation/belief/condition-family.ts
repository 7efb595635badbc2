// Family: finds and keeps which conditions are connected by admissible edges, and so may share a cause.

import { byOnset } from '../window/facts.ts';
import type { Condition, Family } from './condition.ts';

function makeFamily(members: Condition[]): Family {
  const family: Family = {
    members, clusters: [], assigned: false, regrouped: true, whole: true, left: [], loose: false, rest: null,
  }; // biome-ignore format: one object
  for (const member of members) member.belief.family = family;
  return family;
}

/** Members that have begun, by onset. */
export function inOrder(family: Family): readonly Condition[] {
  const { members } = family;
  let ordered = true;
  let begun = true;
  let last: Condition | null = null;
  let at = 0;
  for (const member of members) {
    member.belief.at = at;
    at += 1;
    if (last !== null && byOnset(last, member) > 0) ordered = false;
    if (!member.begun) begun = false;
    last = member;
  }
  if (!ordered) {
    members.sort(byOnset);
    family.regrouped = true;
    family.whole = true;
  }
  return begun ? members : members.filter((member) => member.begun);
}

export function familyOf(condition: Condition): Family {
  return condition.belief.family ?? makeFamily([condition]);
}

/** An edge leads from one to the other. */
export function unite(a: Condition, b: Condition): void {
  const [one, other] = [familyOf(a), familyOf(b)];
  one.assigned = false;
  if (one === other) return;
  const [into, from] = one.members.length >= other.members.length ? [one, other] : [other, one];
  into.assigned = false;
  into.regrouped = true;
  into.loose ||= from.loose;
  // One that has just come has neither root nor cluster to keep.
  if (!isNew(from)) {
    into.whole = true;
    into.rest = null;
  }
  for (const member of from.members) {
    member.belief.family = into;
    into.members.push(member);
  }
}

function isNew({ members: [first, ...others] }: Family): boolean {
  return first !== undefined && others.length === 0 && first.belief.cluster === null;
}

/** The condition is gone. Its edges must be gone already. */
export function leave(condition: Condition): void {
  const { family, cluster } = condition.belief;
  if (family !== null && cluster !== null) family.left.push(cluster);
  condition.belief.end();
  if (family === null) return;
  const at = family.members.indexOf(condition);
  if (at >= 0) family.members.splice(at, 1);
  family.assigned = false;
  family.regrouped = true;
}

/** So many of its neighbours are asked whether they lead to the other end as well. */
const ASKED = 32;

/** An edge between the two is gone. `leaver`: the one of them that goes next, whose last edge divides nothing. */
export function loosen(a: Condition, b: Condition, leaver: Condition | null): void {
  const family = familyOf(a);
  family.assigned = false;
  if (family.loose || (leaver !== null && isAlone(leaver))) return;
  family.loose = !haveCommon(a, b);
}

function isAlone({ causes, effects }: Condition): boolean {
  return causes.size === 0 && effects.size === 0;
}

/** Of what began together nearly all is connected with all of it, so that the first that is asked tells. */
function haveCommon(a: Condition, b: Condition): boolean {
  return leadTo(a.causes.near, b) || leadTo(a.effects.near, b);
}

function leadTo(near: readonly Condition[], to: Condition): boolean {
  for (let i = 0; i < near.length && i < ASKED; i += 1) {
    const one = near[i];
    if (one !== undefined && (to.causes.has(one) || to.effects.has(one))) return true;
  }
  return false;
}

/** The families of these conditions as they are now, each once. */
export function familiesOf(conditions: Iterable<Condition>): Set<Family> {
  const families = new Set<Family>();
  let last: Family | null = null;
  for (const condition of conditions) {
    const family = familyOf(condition);
    if (family === last && !family.loose) continue;
    if (family.loose) disperse(family);
    last = familyOf(condition);
    families.add(last);
  }
  return families;
}

let dispersals = 0;

function reach(near: Condition, part: Condition[]): void {
  if (near.belief.dispersal === dispersals) return;
  near.belief.dispersal = dispersals;
  part.push(near);
}

function disperse(family: Family): void {
  family.loose = false;
  const [first] = family.members;
  if (first === undefined) return;
  const parts: Condition[][] = [];
  dispersals += 1;
  for (const seed of family.members) {
    if (seed.belief.dispersal === dispersals) continue;
    seed.belief.dispersal = dispersals;
    const part = [seed];
    for (const { causes, effects } of part) {
      for (const near of causes.near) reach(near, part);
      for (const near of effects.near) reach(near, part);
    }
    parts.push(part);
  }
  if (parts.length > 1) for (const part of parts) makeFamily(part);
}
