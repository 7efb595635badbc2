// Circles: no condition is believed to have brought itself about by others. The weakest link of a circle is not believed.

import { componentsOf } from '../graph/strong-components.ts';
import { byOnset } from '../window/facts.ts';
import type { Condition, Weighed } from './condition.ts';
import { FLOOR } from './floor.ts';

/** Of circles of more links than this, which only a flood makes, those that lead back in time are not believed. */
const MOST_COMPARED = 256;
const NO_LINKS: Weighed[] = [];
const NOT_ONE: ReadonlySet<Weighed> = new Set();
const ALONE: readonly Condition[] = [];

/** Looks at what is worth believing of its causes, before circles are cut. */
export function noteLinks({ belief }: Condition): void {
  let links = NO_LINKS;
  for (const link of belief.uncut) {
    if (link.weight < FLOOR) break;
    if (!link.edge.row.mayCircle) continue;
    if (links === NO_LINKS) links = [];
    links.push(link);
  }
  belief.links = links;
}

/**
 * What is believed of the causes of these conditions, and of those on a circle with them, without the links that close a circle.
 * `moved`: all of a family whose causes are worth something else now. A function of weights and onsets, not of where one enters.
 */
export function cutCircles(moved: readonly Condition[]): readonly (readonly [Condition, readonly Weighed[]])[] {
  const concerned = new Set(moved);
  for (const circle of new Set(moved.map(({ belief }) => belief.circle)))
    for (const other of circle) concerned.add(other);
  const links = linksAmong(concerned);
  const circles = componentsOf(links.map(({ edge }) => [edge.effect, edge.cause] as const));
  const members = membersOf(circles);
  for (const list of members.values()) for (const one of list) concerned.add(one);
  const closing =
    members.size === 0
      ? NOT_ONE
      : closingOf(links.filter(({ edge }) => circles.get(edge.cause) === circles.get(edge.effect)));
  return [...concerned].map((condition) => {
    const { belief } = condition;
    const { uncut } = belief;
    belief.circle = members.get(circles.get(condition)) ?? ALONE;
    return [condition, belief.links.some((one) => closing.has(one)) ? uncut.filter((one) => !closing.has(one)) : uncut];
  });
}

/** All links between these and what may have followed from them, on which any circle with one of these lies; none where none can be. */
function linksAmong(from: ReadonlySet<Condition>): readonly Weighed[] {
  const below = allBelow(from);
  const links: Weighed[] = [];
  let back = false;
  for (const { belief } of below) {
    for (const link of belief.links) {
      if (!below.has(link.edge.cause)) continue;
      links.push(link);
      back ||= isBack(link);
    }
  }
  return back ? links : NO_LINKS;
}

/** With all that links lead down to: of what is new that is little, while above it may be all that is known. */
function allBelow(from: ReadonlySet<Condition>): ReadonlySet<Condition> {
  const below = new Set<Condition>();
  // What nothing leads on from is on no circle.
  for (const one of from) if (one.belief.links.length > 0) below.add(one);
  for (const one of below)
    for (const effect of one.effects.near) if (!below.has(effect) && isLinked(effect, one)) below.add(effect);
  return below;
}

function isLinked({ belief: { links } }: Condition, cause: Condition): boolean {
  for (const { edge } of links) if (edge.cause === cause) return true;
  return false;
}

/** Of each circle all that are on it. */
function membersOf(circles: ReadonlyMap<Condition, number>): ReadonlyMap<number | undefined, readonly Condition[]> {
  const members = new Map<number | undefined, Condition[]>();
  for (const [condition, circle] of circles) {
    const list = members.get(circle);
    if (list === undefined) members.set(circle, [condition]);
    else list.push(condition);
  }
  for (const [circle, { length }] of members) if (length === 1) members.delete(circle);
  return members;
}

/** Each of them is the weakest of a circle that it makes with others. */
function closingOf(links: readonly Weighed[]): ReadonlySet<Weighed> {
  if (links.length > MOST_COMPARED) return new Set(links.filter(isBack));
  const closing = new Set<Weighed>();
  const causes = new Map<Condition, Condition[]>();
  for (const link of links.toSorted(byWorth)) {
    const { cause, effect } = link.edge;
    if (isAbove(effect, cause, causes)) closing.add(link);
    else causes.set(effect, [...(causes.get(effect) ?? []), cause]);
  }
  return closing;
}

/** Whether the causes of the lower one, and theirs, lead to the other. */
function isAbove(upper: Condition, lower: Condition, causes: ReadonlyMap<Condition, readonly Condition[]>): boolean {
  const above = new Set([lower]);
  for (const one of above) for (const cause of causes.get(one) ?? []) above.add(cause);
  return above.has(upper);
}

function byWorth(a: Weighed, b: Weighed): number {
  return b.weight - a.weight || byOnset(a.edge.cause, b.edge.cause) || byOnset(a.edge.effect, b.edge.effect);
}

function isBack({ edge }: Weighed): boolean {
  return byOnset(edge.cause, edge.effect) > 0;
}
