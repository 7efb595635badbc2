// Assignment: gives every condition of a connected set its causes and its root; a pure function of the set.

import type { Edge } from './graph/edge.ts';
import { isExplaining } from './graph/kind-roles.ts';
import { byOnset, type Condition } from './window/condition.ts';

/** Below this a cause is not believed; it may still be told as an alternative. */
export const FLOOR = 0.3;
/** Below this a cause is not even an alternative, and does not count as a further effect of its cause. */
export const NOTICE = 0.1;
const CEILING = 0.97;
/** What each doubling of the places that one cause explains adds: one sag beats eight coincidences. */
const COMMON_CAUSE = 0.15;
const MAX_CAUSED_BY = 16;

/** A cause with what it is worth in its company. */
export interface Weighed {
  readonly edge: Edge;
  readonly weight: number;
}

export interface Assigned {
  readonly condition: Condition;
  readonly root: Condition;
  /** All causes weighed, best first, believed or not. */
  readonly weighed: readonly Weighed[];
  /** Direct causes within the same cluster, best first; empty for a root. */
  readonly causedBy: readonly Weighed[];
}

/** One root with all that follows from it, root first, then by onset. */
export interface Cluster {
  readonly root: Condition;
  readonly members: readonly Assigned[];
}

/** All conditions connected to these by admissible edges, whichever way they point. */
export function connectedTo(seeds: Iterable<Condition>): Set<Condition> {
  const found = new Set(seeds);
  for (const condition of found) {
    for (const cause of condition.causes.keys()) found.add(cause);
    for (const effect of condition.effects) found.add(effect);
  }
  return found;
}

/** `set` must hold every condition that an edge of a member leads to. */
export function assign(set: ReadonlySet<Condition>): Cluster[] {
  const ordered = [...set].filter((condition) => condition.begun).sort(byOnset);
  const reach = new Map<Condition, number>();
  for (const condition of ordered) reach.set(condition, placesExplained(condition));
  const weighed = new Map<Condition, readonly Weighed[]>();
  const explained = new Set(ordered.filter(isExplained));
  for (const condition of ordered) weighed.set(condition, weigh(condition, reach, explained));

  const roots = new Map<Condition, Condition>();
  const clusters = new Map<Condition, Condition[]>();
  for (const condition of ordered) {
    const root = rootOf(condition, weighed, roots);
    const members = clusters.get(root);
    if (members === undefined) clusters.set(root, [condition]);
    else members.push(condition);
  }
  return [...clusters].map(([root, members]) => ({ root, members: link(root, members, weighed) }));
}

/** At how many places this condition may have had effects. */
function placesExplained(condition: Condition): number {
  const places = new Set<string>();
  for (const effect of condition.effects) {
    const edge = effect.causes.get(condition);
    if (edge !== undefined && !edge.row.sibling && edge.base >= NOTICE) places.add(effect.text);
  }
  return places.size;
}

function weigh(
  condition: Condition,
  reach: ReadonlyMap<Condition, number>,
  explained: ReadonlySet<Condition>,
): Weighed[] {
  const leader = leaderOf(condition, explained);
  const list: Weighed[] = [];
  for (const edge of condition.causes.values()) {
    // Of several of its own kind only the first one leads: the others are its fellows.
    if (edge.cause.kind === condition.kind && edge.cause !== leader) continue;
    const weight = edge.row.sibling ? siblingWeight(edge) : common(edge.base, reach.get(edge.cause) ?? 1);
    if (weight >= NOTICE) list.push({ edge, weight });
  }
  const real = list.some(({ edge, weight }) => !edge.row.sibling && weight >= FLOOR);
  const kept = real ? list.filter(({ edge }) => !edge.row.sibling) : list;
  return kept.sort(byWeight);
}

function byWeight(a: Weighed, b: Weighed): number {
  return b.weight - a.weight || byOnset(b.edge.cause, a.edge.cause);
}

function leaderOf(condition: Condition, explained: ReadonlySet<Condition>): Condition | null {
  let leader: Condition | null = null;
  for (const cause of condition.causes.keys()) {
    if (cause.kind !== condition.kind || explained.has(cause)) continue;
    if (leader === null || byOnset(cause, leader) < 0) leader = cause;
  }
  return leader;
}

/** Planned or declared: what it explains directly is no sign of a hidden cause that others might share. */
function isExplained(condition: Condition): boolean {
  for (const [cause, { base }] of condition.causes) if (isExplaining(cause.kind) && base >= FLOOR) return true;
  return false;
}

function siblingWeight(edge: Edge): number {
  let group = 1;
  for (const effect of edge.cause.effects) {
    if (effect.causes.get(edge.cause)?.row === edge.row) group += 1;
  }
  return group >= edge.row.minGroup ? edge.base : 0;
}

function common(base: number, places: number): number {
  return Math.min(CEILING, base * (1 + COMMON_CAUSE * Math.log2(Math.max(1, places))));
}

function parentOf(condition: Condition, weighed: ReadonlyMap<Condition, readonly Weighed[]>): Condition | null {
  const best = weighed.get(condition)?.[0];
  return best !== undefined && best.weight >= FLOOR ? best.edge.cause : null;
}

function rootOf(
  condition: Condition,
  weighed: ReadonlyMap<Condition, readonly Weighed[]>,
  roots: Map<Condition, Condition>,
): Condition {
  const path: Condition[] = [];
  let at = condition;
  for (;;) {
    const known = roots.get(at);
    const parent = known === undefined ? parentOf(at, weighed) : null;
    path.push(at);
    // The graph has no cycle of admissible edges; the length check keeps a wrong catalogue from hanging the daemon.
    if (known !== undefined || parent === null || path.length > weighed.size) {
      const root = known ?? at;
      for (const step of path) roots.set(step, root);
      return root;
    }
    at = parent;
  }
}

/** Direct causes: those in the cluster that are not already the cause of another, nearer one. */
function link(root: Condition, members: Condition[], weighed: ReadonlyMap<Condition, readonly Weighed[]>): Assigned[] {
  const inside = new Set(members);
  const believed = new Map<Condition, Weighed[]>();
  for (const member of members) {
    const all = weighed.get(member) ?? [];
    believed.set(member, member === root ? [] : all.filter((w) => w.weight >= FLOOR && inside.has(w.edge.cause)));
  }
  const above = new Map<Condition, ReadonlySet<Condition>>();
  const ancestors = (condition: Condition): ReadonlySet<Condition> => {
    const known = above.get(condition);
    if (known !== undefined) return known;
    const found = new Set<Condition>();
    above.set(condition, found);
    for (const { edge } of believed.get(condition) ?? []) {
      found.add(edge.cause);
      for (const further of ancestors(edge.cause)) found.add(further);
    }
    return found;
  };
  const assigned = members.map((condition): Assigned => {
    const causes = believed.get(condition) ?? [];
    const nearest = causes.filter(
      (far) =>
        !causes.some(
          (near) => near !== far && near.weight >= far.weight / 2 && ancestors(near.edge.cause).has(far.edge.cause),
        ),
    );
    return { condition, root, weighed: weighed.get(condition) ?? [], causedBy: nearest.slice(0, MAX_CAUSED_BY) };
  });
  return assigned.sort(
    (a, b) => Number(b.condition === root) - Number(a.condition === root) || byOnset(a.condition, b.condition),
  );
}
