// Assignment: gives every condition of a family its causes and its root; what did not change since the last time stays.

import { survivesPlan } from '../graph/kind-roles.ts';
import { isOtherDevice } from '../topology/place.ts';
import { Cluster, type Condition, type Family } from './condition.ts';
import { inOrder } from './condition-family.ts';
import { linkMembers } from './links.ts';
import { FLOOR, reweighAll } from './weighing.ts';

let passes = 0;

/** The clusters of a family, by their earliest members. A function of its conditions and edges alone. */
export function clustersOf(family: Family): readonly Cluster[] {
  if (family.assigned) return family.clusters;
  const ordered = inOrder(family);
  const reweighed = reweighAll(ordered);
  family.assigned = true;
  // By the same weights the same members have the same roots, unless a plan is among them, which counts for some alone.
  if (!reweighed && !family.regrouped && !ordered.some(({ roles }) => roles.explains)) return family.clusters;
  // One that has not begun yet will come.
  family.regrouped = ordered.length < family.members.length;
  passes += 1;
  const moved: Condition[] = [];
  const roots: Condition[] = [];
  for (const condition of ordered) {
    const before = condition.belief.root;
    const root = rootOf(condition, passes, ordered.length);
    if (root !== before) moved.push(condition);
    const { group } = root.belief;
    if (group !== null) group.push(condition);
    else {
      root.belief.group = [condition];
      roots.push(root);
    }
  }
  family.clusters = roots.map(clusterOf);
  // Whose root changed is named differently where it is a rival.
  for (const { effects } of moved) for (const effect of effects.keys()) effect.belief.outdate();
  return family.clusters;
}

function parentOf({ belief }: Condition): Condition | null {
  const best = belief.weighed[0];
  return best !== undefined && best.weight >= FLOOR ? best.edge.cause : null;
}

function rootOf(condition: Condition, pass: number, longest: number): Condition {
  const { belief } = condition;
  if (belief.pass === pass) return belief.root;
  const nearest = parentOf(condition);
  if (nearest === null || nearest.belief.pass === pass) {
    const root = nearest === null ? condition : nearest.belief.root;
    belief.root = standsAlone(condition, root) ? condition : root;
    belief.pass = pass;
    return belief.root;
  }
  const path: Condition[] = [];
  let at = condition;
  while (at.belief.pass !== pass) {
    path.push(at);
    const parent = parentOf(at);
    // The graph has no cycle of admissible edges; the length check keeps a wrong catalogue from hanging the daemon.
    if (parent === null || path.length > longest) break;
    at = parent;
  }
  let root = at.belief.pass === pass ? at.belief.root : at;
  for (const one of path.toReversed()) {
    if (standsAlone(one, root)) root = one;
    one.belief.root = root;
    one.belief.pass = pass;
  }
  return root;
}

/**
 * What is planned of one device never explains a critical fault of another one, by however many steps: a reset of one GPU
 * says nothing of a GPU that is lost meanwhile. Nor does a reset that only a library reports explain what the kernel reports
 * of the same device, where a reset that worked leaves no such line.
 */
function standsAlone({ kind, severity, component, sources, causes, belief }: Condition, root: Condition): boolean {
  if (!root.roles.explains) return false;
  // Nor does any plan explain what is still there when its usual time is over, by whatever else was part of it.
  if (causes.get(root)?.outlasted === true && !belief.explained) return true;
  if (severity !== 'critical') return false;
  if (component === null || root.component === null) return false;
  // What hangs on what was declared, or is above it for nothing else, does not count as another device.
  if (isOtherDevice(root.component, component) && causes.get(root)?.row.relation !== 'within') return true;
  return survivesPlan(kind, root.kind) && byKernel(sources) && !byKernel(root.sources);
}

function byKernel(sources: Condition['sources']): boolean {
  return [...sources.values()].includes('kernel');
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
