// Neighbours: finds, for one condition, the conditions that may have caused it or that it may have caused.

import { KINDS, type Kind, kindInfo } from '../../model/kind.ts';
import type { Condition, Edge } from '../belief/condition.ts';
import { familyOf, loosen, loosenAround, unite } from '../belief/condition-family.ts';
import type { Edges } from '../belief/edges.ts';
import { byOnset } from '../window/facts.ts';
import { type Bounds, boundsOf, mayLead } from './bounds.ts';
import { type CauseRow, causesOf, effectsOf } from './cause-graph.ts';
import { bestEdge, type EdgeContext } from './edge.ts';
import { isJoining, JOINED, JOINERS, JOINING_ROWS } from './joining.ts';
import { isExplaining } from './kind-roles.ts';

export interface ConditionsByKind {
  /** There is none of the kind with this index that has begun. */
  isEmpty(index: number): boolean;
  /** Conditions of a kind that have begun. */
  ofKind(kind: Kind): readonly Condition[];
  /** The same by onset. */
  byOnset(kind: Kind): readonly Condition[];
}

/**
 * What bounds the work of a flood of invented places: of one kind so many conditions are looked at, those that began
 * nearest, and so many causes of one condition are kept, the best. A host with eight GPUs stays far below both.
 */
const LOOKED_AT = 64;
const KEPT_CAUSES = 64;

/** The rows that lead to or from one kind, by the kind at their other end. */
interface Rows extends Bounds {
  readonly kind: Kind;
  /** Its place among all kinds. */
  readonly index: number;
}

const NONE: readonly Rows[] = [];
const causing = pick(causesOf, () => true);
const following = pick(effectsOf, () => true);
/** What may join any other condition, and all that it may join. */
const joiners = rowsFor(JOINERS);
const joined = rowsFor(JOINED);
/** By index of the kind of a cause the kinds that may begin at any time while it lasts. */
const duringCause = pick(effectsOf, (row) => row.whileActive || isPlanned(row));
/** By index of the kind of an effect the kinds of causes of which it depends on its end whether they explain it. */
const ofShort = pick(causesOf, (row) => row.effectMaxMs !== null || row.keepsUp || isPlanned(row));

/** By index of the kind: this is asked at every event. */
const byEnd = somePicked(duringCause, ofShort);

/** The same of the effects that something may keep up: what of their causes lasts decides there. */
const keptUp = somePicked(pick(causesOf, (row) => row.keepsUp));

/** What is planned explains an effect only until some time after its own end. */
function isPlanned({ cause }: CauseRow): boolean {
  return isExplaining(cause);
}

function rowsFor(kinds: readonly Kind[]): readonly Rows[] {
  const bounds = boundsOf(JOINING_ROWS);
  return kinds.map((kind) => ({ kind, index: kindInfo(kind).index, ...bounds }));
}

function causesFor(condition: Condition): readonly Rows[] {
  return isJoining(condition) ? joined : (causing[condition.kindIndex] ?? NONE);
}

function pick(
  of: (kind: Kind) => ReadonlyMap<Kind, readonly CauseRow[]>,
  wanted: (row: CauseRow) => boolean,
): readonly (readonly Rows[])[] {
  return KINDS.map((from) => {
    const some = [...of(from)].filter(([, rows]) => rows.some(wanted));
    return some.length === 0
      ? NONE
      : some.map(([kind, rows]) => ({ kind, index: kindInfo(kind).index, ...boundsOf(rows) }));
  });
}

/** By index of the kind, whether anything is picked for it. */
function somePicked(...picks: readonly (readonly (readonly Rows[])[])[]): Uint8Array {
  return Uint8Array.from(KINDS, (_, index) => Number(picks.some((picked) => picked[index] !== NONE)));
}

/** When a condition of this kind ended decides what it can cause or be caused by. */
export function endMatters({ kindIndex }: Condition): boolean {
  return byEnd[kindIndex] === 1;
}

/** Takes all edges of a condition away; returns where they led. */
function disconnectAll(condition: Condition): Condition[] {
  const [causes, effects] = [[...condition.causes.near], [...condition.effects.near]];
  for (const cause of causes) disconnect(cause, condition);
  for (const effect of effects) disconnect(condition, effect);
  return [...causes, ...effects];
}

/** The same of one that leaves its family next: its own side is given up as a whole. */
export function detach(gone: Condition): Condition[] {
  const { causes, effects } = gone;
  const near = [...causes.near, ...effects.near];
  loosenAround(gone, near);
  for (const edge of causes.all) {
    edge.cause.effects.delete(gone);
    outweigh(edge.cause, gone, edge);
  }
  for (const edge of effects.all) {
    const { effect } = edge;
    effect.causes.delete(gone);
    effect.weakest = null;
    if (gone.roles.explains) effect.belief.plans -= 1;
    outweigh(gone, effect, edge);
  }
  gone.weakest = null;
  causes.clear();
  effects.clear();
  return near;
}

/** Finds all edges of a condition again; returns where they lead and where they led before. */
export function refresh(
  condition: Condition,
  store: ConditionsByKind,
  context: EdgeContext,
  near: Condition[] = [],
): Condition[] {
  if (!condition.begun) {
    near.push(...disconnectAll(condition));
    return near;
  }
  familyOf(condition).assigned = false;
  reorder(condition);
  for (const rows of causesFor(condition)) {
    if (store.isEmpty(rows.index)) continue;
    for (const cause of candidates(rows.kind, condition, condition.causes, store))
      if (settleEdge(cause, condition, rows, context) !== 'none') near.push(cause);
  }
  for (const rows of following[condition.kindIndex] ?? NONE) {
    if (store.isEmpty(rows.index)) continue;
    for (const effect of candidates(rows.kind, condition, condition.effects, store))
      if (settleEdge(condition, effect, rows, context) !== 'none') near.push(effect);
  }
  if (isJoining(condition)) return near;
  for (const rows of joiners) {
    if (store.isEmpty(rows.index)) continue;
    for (const effect of candidates(rows.kind, condition, condition.effects, store))
      if (settleEdge(condition, effect, rows, context) !== 'none') near.push(effect);
  }
  return near;
}

/** Where it began at another time it is in another place in the order of those that lead; what keeps a whole up does so while it lasts. */
function reorder({ kindIndex, onsetMs, name, belief, effects }: Condition): void {
  const moved = belief.weighedAtMs !== onsetMs || belief.weighedAs !== name;
  belief.weighedAtMs = onsetMs;
  belief.weighedAs = name;
  if (moved || keptUp[kindIndex] === 1) belief.reweigh = true;
  for (const effect of effects.near) if (moved || keptUp[effect.kindIndex] === 1) effect.belief.reweigh = true;
}

/** The same after its end alone moved: looks only where that decides; returns where an edge changed. */
export function refreshEnd(condition: Condition, store: ConditionsByKind, context: EdgeContext): Condition[] {
  const near: Condition[] = [];
  if (!condition.begun) return near;
  const { endMs, endBeforeMs } = condition;
  // What began before the cause ended, as it was known before and as it is now, may follow from it either way.
  const eitherWayMs = Math.min(endMs ?? Number.POSITIVE_INFINITY, endBeforeMs ?? Number.POSITIVE_INFINITY);
  for (const rows of duringCause[condition.kindIndex] ?? NONE) {
    if (store.isEmpty(rows.index)) continue;
    for (const effect of candidates(rows.kind, condition, condition.effects, store)) {
      if (effect.onset.earliestMs <= eitherWayMs && !condition.roles.explains) continue;
      if (settleEdge(condition, effect, rows, context) === 'changed') near.push(effect);
    }
  }
  for (const rows of ofShort[condition.kindIndex] ?? NONE) {
    if (store.isEmpty(rows.index)) continue;
    for (const cause of candidates(rows.kind, condition, condition.causes, store))
      if (settleEdge(cause, condition, rows, context) === 'changed') near.push(cause);
  }
  return near;
}

/** Those of a kind to which an edge may lead or leads already. */
function candidates(
  kind: Kind,
  condition: Condition,
  known: Edges<Condition, Edge>,
  store: ConditionsByKind,
): readonly Condition[] {
  const all = store.ofKind(kind);
  if (all.length <= LOOKED_AT) return all;
  const ordered = store.byOnset(kind);
  let from = 0;
  for (let to = ordered.length; from < to; ) {
    const middle = (from + to) >> 1;
    if ((ordered[middle]?.onsetMs ?? 0) < condition.onsetMs) from = middle + 1;
    else to = middle;
  }
  const first = Math.max(0, from - LOOKED_AT / 2);
  const nearest = ordered.slice(first, first + LOOKED_AT);
  looks += 1;
  for (const one of nearest) one.belief.lookedAt = looks;
  for (const other of known.near) if (other.kind === kind && other.belief.lookedAt !== looks) nearest.push(other);
  return nearest;
}

let looks = 0;

/** Puts the edge between the two as it is now; whether there was or is one. */
function settleEdge(
  cause: Condition,
  effect: Condition,
  bounds: Bounds,
  context: EdgeContext,
): 'none' | 'same' | 'changed' {
  const before = effect.causes.size === 0 || cause.effects.size === 0 ? undefined : effect.causes.get(cause);
  const edge = mayLead(cause, effect, bounds) ? bestEdge(cause, effect, bounds.rows, context, before) : null;
  if (edge === null) {
    if (before === undefined) return 'none';
    disconnect(cause, effect);
    return 'changed';
  }
  if (before === edge) return 'same';
  if (before === undefined && effect.causes.size >= KEPT_CAUSES) {
    const weakest = weakestOf(effect);
    if (!isWeaker(weakest, edge)) return 'none';
    disconnect(weakest.cause, effect);
  }
  connect(edge);
  return 'changed';
}

/** Found once, as long as no cause comes, goes or begins at another time: of a flood each further one is held against it. */
function weakestOf(effect: Condition): Edge {
  let weakest = effect.weakest;
  if (weakest !== null) return weakest;
  for (const edge of effect.causes.all) if (weakest === null || isWeaker(edge, weakest)) weakest = edge;
  if (weakest === null) throw new Error('no cause among the causes that are kept');
  effect.weakest = weakest;
  return weakest;
}

/** A total order, so that the order of arrival does not decide which causes are kept. */
function isWeaker(a: Edge, b: Edge): boolean {
  return a.base === b.base ? byOnset(a.cause, b.cause) > 0 : a.base < b.base;
}

function connect(edge: Edge): void {
  const { cause, effect } = edge;
  const before = effect.causes.get(cause);
  effect.causes.set(cause, edge);
  effect.weakest = null;
  if (before === undefined && cause.roles.explains) effect.belief.plans += 1;
  cause.effects.set(effect, edge);
  unite(cause, effect);
  outweigh(cause, effect, edge);
}

function disconnect(cause: Condition, effect: Condition): void {
  const edge = effect.causes.get(cause);
  if (edge === undefined) return;
  effect.causes.delete(cause);
  effect.weakest = null;
  if (cause.roles.explains) effect.belief.plans -= 1;
  cause.effects.delete(effect);
  loosen(cause, effect);
  outweigh(cause, effect, edge);
}

/** What an edge that came or went is counted in. */
function outweigh(cause: Condition, effect: Condition, { row, outlasted }: Edge): void {
  effect.belief.reweigh = true;
  cause.belief.siblings = null;
  // What follows from the effect is no longer put down to the plan either.
  if (outlasted) for (const further of effect.effects.near) further.belief.reweigh = true;
  cause.belief.countPlaces = true;
  if (row.counted) cause.belief.recount = true;
}
