// Neighbours: finds, for one condition, the conditions that may have caused it or that it may have caused.

import type { Kind } from '../../model/kind.ts';
import { familyOf, unite } from '../belief/family.ts';
import type { Condition } from '../window/condition.ts';
import { CAUSE_ROWS, causesOf, effectsOf } from './cause-graph.ts';
import { bestEdge, type Edge, type EdgeContext, isSameEdge } from './edge.ts';

export interface ConditionsByKind {
  /** Conditions of a kind that have begun. */
  ofKind(kind: Kind): readonly Condition[];
}

const NONE: ReadonlySet<Kind> = new Set();
/** Kinds that may begin at any time while a cause of this kind lasts. */
const duringCause = new Map<Kind, Set<Kind>>();
/** Kinds of causes that explain an effect of this kind only when it is short. */
const ofShort = new Map<Kind, Set<Kind>>();
for (const { cause, effect, whileActive, effectMaxMs } of CAUSE_ROWS) {
  if (whileActive) duringCause.set(cause, (duringCause.get(cause) ?? new Set()).add(effect));
  if (effectMaxMs !== null) ofShort.set(effect, (ofShort.get(effect) ?? new Set()).add(cause));
}

/** When a condition of this kind ended decides what it can cause or be caused by. */
export function endMatters(kind: Kind): boolean {
  return duringCause.has(kind) || ofShort.has(kind);
}

/** Takes all edges of a condition away; returns where they led. */
export function detach(condition: Condition): Condition[] {
  const near = [...condition.causes.keys(), ...condition.effects.keys()];
  for (const cause of condition.causes.keys()) disconnect(cause, condition);
  for (const effect of condition.effects.keys()) disconnect(condition, effect);
  return near;
}

/** Finds all edges of a condition anew; returns where they lead and where they led before. */
export function refresh(condition: Condition, store: ConditionsByKind, context: EdgeContext): Condition[] {
  if (!condition.begun) return detach(condition);
  // Its onset may have moved: it is in another place in the order of those that lead.
  familyOf(condition).assigned = false;
  condition.standing.weighAnew = true;
  for (const effect of condition.effects.keys()) effect.standing.weighAnew = true;
  const near: Condition[] = [];
  for (const kind of causesOf(condition.kind).keys()) {
    for (const cause of store.ofKind(kind)) if (settleEdge(cause, condition, context) !== 'none') near.push(cause);
  }
  for (const kind of effectsOf(condition.kind).keys()) {
    for (const effect of store.ofKind(kind)) if (settleEdge(condition, effect, context) !== 'none') near.push(effect);
  }
  return near;
}

/** The same after its end alone moved: looks only where that decides; returns where an edge changed. */
export function refreshEnd(condition: Condition, store: ConditionsByKind, context: EdgeContext): Condition[] {
  const near: Condition[] = [];
  if (!condition.begun) return near;
  for (const kind of duringCause.get(condition.kind) ?? NONE) {
    for (const effect of store.ofKind(kind))
      if (settleEdge(condition, effect, context) === 'changed') near.push(effect);
  }
  for (const kind of ofShort.get(condition.kind) ?? NONE) {
    for (const cause of store.ofKind(kind)) if (settleEdge(cause, condition, context) === 'changed') near.push(cause);
  }
  return near;
}

/** Puts the edge between the two as it is now; whether there was or is one. */
function settleEdge(cause: Condition, effect: Condition, context: EdgeContext): 'none' | 'same' | 'changed' {
  const edge = bestEdge(cause, effect, context);
  const before = effect.causes.get(cause);
  if (edge === null) {
    if (before === undefined) return 'none';
    disconnect(cause, effect);
    return 'changed';
  }
  if (before !== undefined && isSameEdge(before, edge)) return 'same';
  connect(edge);
  return 'changed';
}

function connect(edge: Edge): void {
  const { cause, effect } = edge;
  effect.causes.set(cause, edge);
  cause.effects.set(effect, edge);
  unite(cause, effect);
  outweigh(cause, effect, edge);
}

function disconnect(cause: Condition, effect: Condition): void {
  const edge = effect.causes.get(cause);
  if (edge === undefined) return;
  effect.causes.delete(cause);
  cause.effects.delete(effect);
  const family = familyOf(cause);
  family.assigned = false;
  family.loose = true;
  outweigh(cause, effect, edge);
}

/** What an edge that came or went is counted in. */
function outweigh(cause: Condition, effect: Condition, { row }: Edge): void {
  effect.standing.weighAnew = true;
  cause.standing.countPlaces = true;
  if (row.sibling && row.minGroup > 2) for (const fellow of cause.effects.keys()) fellow.standing.weighAnew = true;
}
