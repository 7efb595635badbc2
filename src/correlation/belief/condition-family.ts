// Family: finds and keeps which conditions are connected by admissible edges, and so may share a cause.

import { byOnset } from '../window/facts.ts';
import type { Condition, Family } from './condition.ts';

function makeFamily(members: Condition[]): Family {
  const family: Family = { members, clusters: [], assigned: false, regrouped: true, loose: false, rest: null };
  for (const member of members) member.belief.family = family;
  return family;
}

/** Members that have begun, by onset. */
export function inOrder(family: Family): readonly Condition[] {
  const { members } = family;
  let ordered = true;
  let begun = true;
  let last: Condition | null = null;
  for (const member of members) {
    if (last !== null && byOnset(last, member) > 0) ordered = false;
    if (!member.begun) begun = false;
    last = member;
  }
  if (!ordered) {
    members.sort(byOnset);
    family.regrouped = true;
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
  for (const member of from.members) {
    member.belief.family = into;
    into.members.push(member);
  }
}

/** The condition is gone. Its edges must be gone already. */
export function leave(condition: Condition): void {
  const { family } = condition.belief;
  condition.belief.end();
  if (family === null) return;
  family.members = family.members.filter((member) => member !== condition);
  family.assigned = false;
  family.regrouped = true;
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
      for (const near of causes.keys()) reach(near, part);
      for (const near of effects.keys()) reach(near, part);
    }
    parts.push(part);
  }
  if (parts.length > 1) for (const part of parts) makeFamily(part);
}
