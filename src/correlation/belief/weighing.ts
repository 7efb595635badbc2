// Weighing: what each admissible cause of a condition is worth in its company; only where something that counts changed.

import type { CauseRow } from '../graph/cause-graph.ts';
import { byOnset, onlyTenant } from '../window/facts.ts';
import { isNew, newCount, type PlaceMark } from '../window/place-marks.ts';
import { cutCircles, noteLinks } from './circles.ts';
import type { Condition, Edge, Family, Siblings, Weighed } from './condition.ts';
import { sortByPlace } from './condition-family.ts';
import { FLOOR } from './floor.ts';

/** Below this a cause is not even an alternative, and does not count as a further effect of its cause. */
export const NOTICE = 0.1;
const CEILING = 0.97;
/** What each doubling of the places that one cause explains adds: one sag beats eight coincidences. */
const COMMON_CAUSE = 0.15;
const NONE: Condition[] = [];

/** Weighs the causes again of those for which something that counts there changed; returns those of which that changed any weight, by onset. */
export function reweighAll(family: Family): readonly Condition[] {
  const { unweighed } = family;
  if (unweighed.length === 0) return NONE;
  // What one of them changes for others makes the list longer.
  for (const condition of unweighed) if (isOf(family, condition)) prepare(condition);
  family.unweighed = [];
  let changed = NONE;
  let moved = NONE;
  for (const condition of sortByPlace(unweighed)) {
    if (!isOf(family, condition)) {
      // One that has not begun yet will come.
      if (condition.belief.family === family) family.unweighed.push(condition);
      continue;
    }
    const { belief } = condition;
    belief.listed = false;
    if (!belief.reweigh) continue;
    belief.reweigh = false;
    const uncut = weigh(condition);
    const same = areSame(uncut, belief.uncut);
    if (same && belief.circle.length === 0) continue;
    if (!same) belief.uncut = uncut;
    const linked = belief.links.length > 0;
    noteLinks(condition);
    if (linked || belief.links.length > 0) moved = including(moved, condition);
    else if (believe(condition, belief.uncut)) changed = including(changed, condition);
  }
  if (moved === NONE) return changed;
  for (const [condition, weighed] of cutCircles(moved))
    if (believe(condition, weighed)) changed = including(changed, condition);
  return changed;
}

function isOf(family: Family, { belief, begun }: Condition): boolean {
  return begun && belief.family === family;
}

/** Finds out what it counts with for others, and whether something planned explains it. */
function prepare(condition: Condition): void {
  const { belief, effects } = condition;
  if (belief.recount) {
    belief.recount = false;
    recounted(condition);
  }
  if (belief.countPlaces) {
    const before = commonGain(belief.places);
    belief.countPlaces = false;
    belief.places = placesExplained(condition);
    const now = commonGain(belief.places);
    if (before !== now) gained(condition, before, now);
  }
  if (!belief.reweigh) return;
  const explained = isExplained(condition);
  if (explained === belief.explained) return;
  belief.explained = explained;
  for (const effect of effects.near) if (effect.kind === condition.kind) effect.belief.reweigh = true;
}

/** True where that is not what was believed of its causes. */
function believe({ belief }: Condition, weighed: readonly Weighed[]): boolean {
  if (areSame(weighed, belief.weighed)) return false;
  belief.weighed = weighed;
  return true;
}

function including(list: Condition[], one: Condition): Condition[] {
  if (list === NONE) return [one];
  list.push(one);
  return list;
}

/** One more of a group changes nothing for the others, unless it makes the group large enough. */
function recounted({ belief, effects }: Condition): void {
  const before = belief.weighedBy;
  const now = siblingsOf(effects);
  belief.siblings = now;
  belief.weighedBy = now;
  for (const { effect, row } of effects.all)
    if (before === null || isGroup(row, before) !== isGroup(row, now)) effect.belief.reweigh = true;
}

function isGroup({ relation, minGroup }: CauseRow, siblings: Siblings): boolean {
  return 1 + (siblings.get(relation) ?? 0) >= minGroup;
}

/** Most strong causes are at the ceiling from two places on: one place more changes nothing for the others. */
function gained({ effects }: Condition, before: number, now: number): void {
  for (const { effect, base } of effects.all)
    if (Math.min(CEILING, base * before) !== Math.min(CEILING, base * now)) effect.belief.reweigh = true;
}

function areSame(a: readonly Weighed[], b: readonly Weighed[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) {
    const [one, other] = [a[i], b[i]];
    if (one !== other && (one?.edge !== other?.edge || one?.weight !== other?.weight)) return false;
  }
  return true;
}

/** At how many places this condition may have had effects. */
function placesExplained({ effects }: Condition): number {
  let places = 0;
  const count = newCount();
  for (const { effect, row, base } of effects.all)
    if (!row.sibling && base >= NOTICE && isNew(placeOf(effect), count)) places += 1;
  return places;
}

/** All ranks that one job's user names are one place: the user can name as many as they like. */
export function placeOf(effect: Condition): PlaceMark {
  return onlyTenant(effect) ? effect.jobMark : effect.placeMark;
}

function weigh(condition: Condition): Weighed[] {
  const leader = leaderOf(condition);
  const list: Weighed[] = [];
  let real = false;
  let planned = false;
  let keptUp = false;
  for (const edge of condition.causes.all) {
    const { cause, row, base } = edge;
    // Of several of its own kind only the first one leads: the others are its fellows.
    if (cause.kind === condition.kind && cause !== leader) continue;
    const weight = row.sibling ? siblingWeight(edge) : Math.min(CEILING, base * commonGain(cause.belief.places));
    if (weight < NOTICE) continue;
    if (edge.weighed?.weight !== weight) edge.weighed = { edge, weight };
    list.push(edge.weighed);
    if (cause.roles.explains) planned = true;
    if (row.keepsUp && weight >= FLOOR) keptUp = true;
    if (!row.sibling && weight >= FLOOR) real = true;
  }
  const some = real ? list.filter(({ edge }) => !edge.row.sibling) : list;
  const kept = keptUp ? lastingOf(some, condition) : some;
  return (planned ? kept.filter((one) => !isOver(one, kept)) : kept).sort(byWeight);
}

/** Without what was over with the plan that the condition did not come back from, where something else keeps it up. */
function lastingOf(all: Weighed[], { causes }: Condition): Weighed[] {
  for (const { cause: plan, outlasted } of causes.all) {
    if (!outlasted) continue;
    const lasting = all.filter(
      ({ edge: { cause } }) => cause.endMs === null || cause.causes.get(plan)?.outlasted !== false,
    );
    return lasting.some(({ weight }) => weight >= FLOOR) ? lasting : all;
  }
  return all;
}

/** A plan whose time is over for a fault is over for what follows from that fault. */
function isOver({ edge }: Weighed, all: readonly Weighed[]): boolean {
  if (!edge.cause.roles.explains) return false;
  return all.some(
    ({ edge: other, weight }) => weight >= FLOOR && other.cause.causes.get(edge.cause)?.outlasted === true,
  );
}

function byWeight(a: Weighed, b: Weighed): number {
  return b.weight - a.weight || byOnset(b.edge.cause, a.edge.cause);
}

function leaderOf(condition: Condition): Condition | null {
  let leader: Condition | null = null;
  for (const cause of condition.causes.near) {
    if (cause.kind !== condition.kind || cause.belief.explained) continue;
    if (leader === null || byOnset(cause, leader) < 0) leader = cause;
  }
  return leader;
}

/** Planned or declared: what it explains directly is not a sign of a hidden cause that others might share. */
function isExplained({ causes, belief }: Condition): boolean {
  if (belief.plans === 0) return false;
  for (const { cause, base } of causes.all) if (base >= FLOOR && cause.roles.explains) return true;
  return false;
}

function siblingWeight({ cause, row, base }: Edge): number {
  if (row.minGroup <= 2) return base;
  const { belief } = cause;
  if (belief.siblings === null) {
    belief.siblings = siblingsOf(cause.effects);
    belief.weighedBy = null;
  }
  return isGroup(row, belief.siblings) ? base : 0;
}

/** Counted once for all of them: each of the group is asked for each other one. */
function siblingsOf(effects: Condition['effects']): Siblings {
  const siblings = new Map<CauseRow['relation'], number>();
  for (const { row } of effects.all) if (row.sibling) siblings.set(row.relation, 1 + (siblings.get(row.relation) ?? 0));
  return siblings;
}

/** Of so few places it is kept: this is asked of every cause of every effect. */
const gains = Float64Array.from({ length: 256 }, (_, places) => gainOf(places));

/** What a cause gains by explaining so many places. */
export function commonGain(places: number): number {
  return gains[places] ?? gainOf(places);
}

function gainOf(places: number): number {
  return 1 + COMMON_CAUSE * Math.log2(Math.max(1, places));
}
