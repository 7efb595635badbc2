// Circles: no condition is believed to have brought itself about by others. The weakest link of a circle is not believed.

import { componentsOf } from '../graph/strong-components.ts';
import { byOnset } from '../window/facts.ts';
import type { Condition, Weighed } from './condition.ts';
import { FLOOR } from './floor.ts';

/** Of circles of more links than this, which only a flood makes, those that lead back in time are not believed. */
const MOST_COMPARED = 256;

/** Whether a cause that is believed, before circles are cut, began later: every circle has such a link. */
export function leadsBack({ belief }: Condition): boolean {
  for (const one of belief.uncut) if (mayClose(one) && isBack(one)) return true;
  return false;
}

/**
 * What is believed of the causes of these conditions and of all above them, without the links that close a circle. `from`: all
 * of a family that lead back, and those of which links are cut. A function of weights and onsets, not of where one enters.
 */
export function cutCircles(from: readonly Condition[]): readonly (readonly [Condition, readonly Weighed[]])[] {
  const reached = new Set(from);
  const links: Weighed[] = [];
  for (const { belief } of reached) {
    for (const link of belief.uncut) {
      if (!mayClose(link)) continue;
      links.push(link);
      reached.add(link.edge.cause);
    }
  }
  const circle = componentsOf(links.map(({ edge }) => [edge.effect, edge.cause] as const));
  const closing = closingOf(links.filter(({ edge }) => circle.get(edge.cause) === circle.get(edge.effect)));
  return [...reached].map((condition) => {
    const { uncut } = condition.belief;
    return [condition, uncut.some((one) => closing.has(one)) ? uncut.filter((one) => !closing.has(one)) : uncut];
  });
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

function mayClose({ edge, weight }: Weighed): boolean {
  return weight >= FLOOR && edge.row.mayCircle;
}

function isBack({ edge }: Weighed): boolean {
  return byOnset(edge.cause, edge.effect) > 0;
}
