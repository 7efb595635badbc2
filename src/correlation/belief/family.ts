// Family: conditions that hang together by admissible edges, whichever way these point, and the clusters they form.

import { byOnset, type Condition } from '../window/condition.ts';
import type { Cluster } from './cluster.ts';

export class Family {
  members: Condition[];
  clusters: readonly Cluster[] = [];
  /** False once an edge, a member or an onset changed: `clusters` is then of the past. */
  assigned = false;
  /** An edge inside was taken away: it may be several families by now. */
  loose = false;

  constructor(members: Condition[]) {
    this.members = members;
    for (const member of members) member.standing.family = this;
  }

  /** Members that have begun, by onset. */
  inOrder(): readonly Condition[] {
    let ordered = true;
    let begun = true;
    let last: Condition | null = null;
    for (const member of this.members) {
      if (last !== null && byOnset(last, member) > 0) ordered = false;
      if (!member.begun) begun = false;
      last = member;
    }
    if (!ordered) this.members.sort(byOnset);
    return begun ? this.members : this.members.filter((member) => member.begun);
  }
}

export function familyOf(condition: Condition): Family {
  return condition.standing.family ?? new Family([condition]);
}

/** An edge leads from one to the other. */
export function unite(a: Condition, b: Condition): void {
  const [one, other] = [familyOf(a), familyOf(b)];
  one.assigned = false;
  if (one === other) return;
  const [into, from] = one.members.length >= other.members.length ? [one, other] : [other, one];
  into.assigned = false;
  into.loose ||= from.loose;
  for (const member of from.members) {
    member.standing.family = into;
    into.members.push(member);
  }
}

/** The condition is no more. Its edges must be gone already. */
export function leave(condition: Condition): void {
  const { family } = condition.standing;
  condition.standing.end();
  if (family === null) return;
  family.members = family.members.filter((member) => member !== condition);
  family.assigned = false;
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

function disperse(family: Family): void {
  family.loose = false;
  const [first] = family.members;
  if (first === undefined) return;
  const left = new Set(family.members);
  const parts: Condition[][] = [];
  for (const seed of family.members) {
    if (!left.delete(seed)) continue;
    const part = [seed];
    for (const member of part) {
      for (const near of member.causes.keys()) if (left.delete(near)) part.push(near);
      for (const near of member.effects.keys()) if (left.delete(near)) part.push(near);
    }
    parts.push(part);
  }
  if (parts.length > 1) for (const part of parts) new Family(part);
}
