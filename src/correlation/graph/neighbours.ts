// Neighbours: finds, for one condition, the conditions that may have caused it or that it may have caused.

import type { Kind } from '../../model/kind.ts';
import type { Condition } from '../window/condition.ts';
import { CAUSE_ROWS, causesOf, effectsOf } from './cause-graph.ts';
import { bestEdge, type EdgeContext } from './edge.ts';

export interface ConditionsByKind {
  ofKind(kind: Kind): Iterable<Condition>;
}

const endCounts = new Set<Kind>(
  CAUSE_ROWS.flatMap((row) => [
    ...(row.whileActive ? [row.cause] : []),
    ...(row.effectMaxMs === null ? [] : [row.effect]),
  ]),
);

/** When a condition of this kind ended decides what it can cause or be caused by. */
export function endMatters(kind: Kind): boolean {
  return endCounts.has(kind);
}

/** Takes all edges of a condition away; returns where they led. */
export function detach(condition: Condition): Condition[] {
  const near = [...condition.causes.keys(), ...condition.effects];
  for (const cause of condition.causes.keys()) cause.effects.delete(condition);
  for (const effect of condition.effects) effect.causes.delete(condition);
  condition.causes.clear();
  condition.effects.clear();
  return near;
}

/** Finds all edges of a condition anew; returns where they lead and where they led before. */
export function refresh(condition: Condition, store: ConditionsByKind, context: EdgeContext): Set<Condition> {
  const near = new Set(detach(condition));
  if (!condition.begun) return near;
  for (const kind of causesOf(condition.kind).keys()) {
    for (const cause of store.ofKind(kind)) {
      const edge = bestEdge(cause, condition, context);
      if (edge === null) continue;
      condition.causes.set(cause, edge);
      cause.effects.add(condition);
      near.add(cause);
    }
  }
  for (const kind of effectsOf(condition.kind).keys()) {
    for (const effect of store.ofKind(kind)) {
      const edge = bestEdge(condition, effect, context);
      if (edge === null) continue;
      effect.causes.set(condition, edge);
      condition.effects.add(effect);
      near.add(effect);
    }
  }
  return near;
}
