// Family: finds and keeps which conditions are connected by admissible edges, and so may share a cause.

import { byOnset } from '../window/facts.ts';
import type { Condition, Family } from './condition.ts';

/** A family of so many times its members is not made again by one that joins it. */
const MANY = 8;

let dispersals = 0;

function makeFamily(members: Condition[]): Family {
  const family: Family = {
    members, ordered: false, plans: 0, come: [], unweighed: [], clusters: [], assigned: false, regrouped: true, whole: true,
    left: [], loose: false, rest: null,
  }; // biome-ignore format: one object
  for (const member of members) {
    const { belief, roles } = member;
    belief.family = family;
    if (roles.explains) family.plans += 1;
    belief.listed = belief.reweigh || belief.countPlaces || belief.recount;
    if (belief.listed) family.unweighed.push(member);
  }
  return family;
}

/** Members that have begun, by onset. */
export function inOrder(family: Family): readonly Condition[] {
  const { members } = family;
  if (family.ordered) return members;
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
    family.whole = true;
  }
  let at = 0;
  for (const { belief } of members) {
    belief.at = at;
    at += 1;
  }
  family.ordered = begun;
  return begun ? members : members.filter((member) => member.begun);
}

/** Sorted in place, which nearly always they are. */
export function sortByPlace(list: Condition[]): Condition[] {
  for (let i = 1; i < list.length; i += 1) {
    const [one, other] = [list[i - 1], list[i]];
    if (one !== undefined && other !== undefined && byPlace(one, other) > 0) return list.sort(byPlace);
  }
  return list;
}

/** In the order in which their family has them. */
export function byPlace(a: Condition, b: Condition): number {
  return a.belief.at - b.belief.at;
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
  into.plans += from.plans;
  for (const one of from.unweighed) if (one.belief.family === from) into.unweighed.push(one);
  if (!isSmall(from, into)) {
    into.whole = true;
    into.rest = null;
  }
  for (const member of from.members) {
    if (into.ordered && member.begun) insert(member, into);
    else {
      into.members.push(member);
      into.ordered = false;
    }
    member.belief.cluster?.touch();
    member.belief.family = into;
    into.come.push(member);
  }
}

/** What has just come changes little of a family, and neither does a much smaller one. */
function isSmall({ members: from }: Family, { members: into }: Family): boolean {
  return from.length === 1 ? from[0]?.belief.cluster === null || into.length > MANY : from.length * MANY < into.length;
}

/** Puts it where it belongs by onset. */
function insert(member: Condition, family: Family): void {
  const { members } = family;
  let from = 0;
  // Nearly always behind all others.
  for (let to = members.length; from < to; ) {
    const middle = to === members.length && from === 0 ? to - 1 : (from + to) >> 1;
    const other = members[middle];
    if (other !== undefined && byOnset(other, member) <= 0) from = middle + 1;
    else to = middle;
  }
  const before = members[from - 1]?.belief.at;
  const after = members[from]?.belief.at;
  members.splice(from, 0, member);
  if (before === undefined) member.belief.at = (after ?? 0) - 1;
  else if (after === undefined) member.belief.at = before + 1;
  else {
    const at = (before + after) / 2;
    member.belief.at = at;
    // No number is left between the two.
    if (at <= before || at >= after) family.ordered = false;
  }
}

/** The condition is gone. Its edges must be gone already. */
export function leave(condition: Condition): void {
  const { family, cluster } = condition.belief;
  if (family !== null && cluster !== null) family.left.push(cluster);
  condition.belief.end();
  if (family === null) return;
  const at = family.members.indexOf(condition);
  if (at >= 0) family.members.splice(at, 1);
  if (condition.roles.explains) family.plans -= 1;
  family.assigned = false;
  family.regrouped = true;
}

/** So many of its neighbours are asked whether they lead to the other end as well. */
const ASKED = 32;
/** So many edges are followed from both ends before the whole family is gone through. */
const FOLLOWED = 512;

/** An edge between the two is gone. */
export function loosen(a: Condition, b: Condition): void {
  const family = familyOf(a);
  family.assigned = false;
  if (!family.loose) family.loose = !haveCommon(a, b) && !meet(a, b);
}

/** All edges of one that leaves its family are going; these are what they led to. Without it, they must hang together still. */
export function loosenAround(leaver: Condition, near: readonly Condition[]): void {
  const family = familyOf(leaver);
  family.assigned = false;
  for (let i = 0; i + 1 < near.length && !family.loose; i += 1) {
    const one = near[i];
    if (one !== undefined && !leadsOn(one, near, i + 1)) family.loose = true;
  }
}

/** Of what began together nearly all is connected with all of it, so that the first that is asked tells. */
function haveCommon(a: Condition, b: Condition): boolean {
  return leadTo(a.causes.near, b) || leadTo(a.effects.near, b);
}

function leadTo(near: readonly Condition[], to: Condition): boolean {
  for (let i = 0; i < near.length && i < ASKED; i += 1) {
    const one = near[i];
    if (one !== undefined && isNextTo(one, to)) return true;
  }
  return false;
}

function leadsOn(one: Condition, others: readonly Condition[], from: number): boolean {
  for (let i = from; i < others.length && i < from + ASKED; i += 1) {
    const other = others[i];
    if (other !== undefined && isNextTo(other, one)) return true;
  }
  return false;
}

function isNextTo(one: Condition, other: Condition): boolean {
  return other.causes.has(one) || other.effects.has(one);
}

/** Whether ways from both ends meet within some steps; false where that is not known. */
function meet(a: Condition, b: Condition): boolean {
  dispersals += 2;
  const [ofA, ofB] = [dispersals - 1, dispersals];
  a.belief.dispersal = ofA;
  b.belief.dispersal = ofB;
  const [fromA, fromB] = [[a], [b]];
  let followed = 0;
  for (let i = 0; followed < FOLLOWED; i += 1) {
    const [one, other] = [fromA[i], fromB[i]];
    if (one === undefined || other === undefined) return false;
    if (follow(one, ofA, ofB, fromA) || follow(other, ofB, ofA, fromB)) return true;
    followed += one.causes.size + one.effects.size + other.causes.size + other.effects.size;
  }
  return false;
}

/** Continues from one; true where that was reached from the other end. */
function follow({ causes, effects }: Condition, own: number, others: number, queue: Condition[]): boolean {
  for (const { near } of [causes, effects]) {
    for (const next of near) {
      if (next.belief.dispersal === others) return true;
      if (next.belief.dispersal === own) continue;
      next.belief.dispersal = own;
      queue.push(next);
    }
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
