// Assignment: gives every condition of a family its causes and its root; what did not change since the last time stays.

import { Cluster, type Condition, type Family } from './condition.ts';
import { byPlace, inOrder, sortByPlace } from './condition-family.ts';
import { linkMembers } from './links.ts';
import { keepRest } from './rest.ts';
import { parentOf, rootOf } from './roots.ts';
import { reweighAll } from './weighing.ts';

/** Of more than this share of a family all of it is gone through, as of a small one: what hangs on each takes longer to find. */
const MOST_MOVED = 1 / 4;
const SMALL = 24;

let passes = 0;

/** The clusters of a family, by their earliest members. A function of its conditions and edges alone. */
export function clustersOf(family: Family): readonly Cluster[] {
  if (family.assigned) return family.clusters;
  const ordered = inOrder(family);
  const reweighed = reweighAll(family);
  family.assigned = true;
  // A plan among them counts for some of them alone: then the same weights may lead to other roots.
  const planned = family.plans > 0;
  if (reweighed.length === 0 && !family.regrouped && !planned) return family.clusters;
  const all = planned || family.whole || ordered.length <= SMALL;
  const moved = all ? null : movedBy(family, reweighed);
  // One that has not begun yet will come.
  family.regrouped = ordered.length < family.members.length;
  family.whole = family.regrouped;
  if (moved === null) assignAll(family, ordered);
  else assignMoved(family, reweighed, moved);
  family.left = [];
  family.come = [];
  return family.clusters;
}

function assignAll(family: Family, ordered: readonly Condition[]): void {
  passes += 1;
  const ascent = { pass: passes, known: passes };
  const moved: Condition[] = [];
  for (const condition of ordered) {
    const { belief } = condition;
    belief.parent = parentOf(condition);
    const before = belief.root;
    if (rootOf(condition, ascent) !== before) moved.push(condition);
  }
  family.clusters = grouped(ordered);
  renamed(moved);
}

/** Those whose best cause is another one, and all that hangs on them; null where that is a large part of the family. */
function movedBy(family: Family, reweighed: readonly Condition[]): Condition[] | null {
  const moved = new Set<Condition>();
  for (const condition of family.come) {
    if (condition.belief.family !== family) continue;
    condition.belief.parent = parentOf(condition);
    moved.add(condition);
  }
  for (const condition of reweighed) {
    const parent = parentOf(condition);
    if (parent === condition.belief.parent) continue;
    condition.belief.parent = parent;
    moved.add(condition);
  }
  const most = MOST_MOVED * family.members.length;
  for (const condition of moved) {
    if (moved.size > most) return null;
    for (const effect of condition.effects.near) if (effect.belief.parent === condition) moved.add(effect);
  }
  return sortByPlace([...moved]);
}

/** The same as for all, where roots and weights of the others are as they were. */
function assignMoved(family: Family, reweighed: readonly Condition[], moved: readonly Condition[]): void {
  passes += 1;
  const pass = passes;
  const ascent = { pass, known: 1 };
  const touched: Cluster[] = [];
  for (const cluster of family.left) take(cluster, pass, touched);
  for (const { belief } of reweighed) take(belief.cluster, pass, touched);
  for (const { belief } of moved) {
    belief.pass = 0;
    belief.concerned = pass;
    take(belief.cluster, pass, touched);
  }
  const rerooted: Condition[] = [];
  for (const condition of moved) {
    const before = condition.belief.root;
    const root = rootOf(condition, ascent);
    take(root.belief.cluster, pass, touched);
    if (root !== before) rerooted.push(condition);
  }
  const concerned = [...moved];
  for (const { members } of touched) {
    for (const { condition } of members) {
      const { belief } = condition;
      if (belief.family !== family || belief.concerned === pass) continue;
      belief.concerned = pass;
      concerned.push(condition);
    }
  }
  const before = family.clusters;
  const others = before.filter((cluster) => cluster.pass !== pass);
  family.clusters = merged(others, grouped(sortByPlace(concerned)));
  renamed(rerooted);
  keepRest(family, before);
}

/** Each once in one pass. */
function take(cluster: Cluster | null, pass: number, touched: Cluster[]): void {
  if (cluster === null || cluster.pass === pass) return;
  cluster.pass = pass;
  touched.push(cluster);
}

/** Both are by their earliest members. */
function merged(some: readonly Cluster[], more: readonly Cluster[]): readonly Cluster[] {
  if (some.length === 0 || more.length === 0) return some.length === 0 ? more : some;
  const all: Cluster[] = [];
  let at = 0;
  for (const one of some) {
    for (let next = more[at]; next !== undefined && byPlace(next.earliest, one.earliest) < 0; next = more[at]) {
      all.push(next);
      at += 1;
    }
    all.push(one);
  }
  for (; at < more.length; at += 1) {
    const next = more[at];
    if (next !== undefined) all.push(next);
  }
  return all;
}

/** The clusters of these, given by onset, by their earliest members. */
function grouped(ordered: readonly Condition[]): Cluster[] {
  const roots: Condition[] = [];
  for (const condition of ordered) {
    const { root } = condition.belief;
    const { group } = root.belief;
    if (group !== null) group.push(condition);
    else {
      root.belief.group = [condition];
      roots.push(root);
    }
  }
  return roots.map(clusterOf);
}

/** Whose root changed is named differently where it is a rival. */
function renamed(moved: readonly Condition[]): void {
  for (const { effects } of moved) for (const effect of effects.near) effect.belief.outdate();
}

/** The cluster as it was, where it still is that. */
function clusterOf(root: Condition): Cluster {
  const members = root.belief.group ?? [];
  root.belief.group = null;
  const before = root.belief.cluster;
  const known = before !== null && before.root === root && holds(before, members);
  const cluster = known ? before : new Cluster(linkMembers(root, members), root, members[0] ?? root);
  for (const { belief } of members) belief.cluster = cluster;
  return cluster;
}

function holds({ root, members: known }: Cluster, members: readonly Condition[]): boolean {
  if (known.length !== members.length || known[0]?.weighed !== root.belief.weighed) return false;
  let at = 1;
  for (const member of members) {
    if (member === root) continue;
    const before = known[at];
    if (before?.condition !== member || before.weighed !== member.belief.weighed) return false;
    at += 1;
  }
  return true;
}
