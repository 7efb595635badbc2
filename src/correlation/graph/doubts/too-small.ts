// Too small: what takes a few percent of a clock, a power limit or a link away cannot make steps half as long again.

import type { Attributes } from '../../../model/event.ts';
import type { Facts } from '../../window/facts.ts';
import type { Doubting } from './doubt.ts';
import { isPositive, isSlowness, slowedBy } from './job-clock.ts';

/** Quantities of which a job's speed is at most proportional to. */
const CAPACITY = /clock|frequency|power.limit|speed|width|bandwidth|lanes|rate/;
/** Room for what readings and steps wander by. */
const SLACK = 0.05;
const LEAST = 0.1;

export const tooSmall: Doubting = (cause, effect) => {
  if (!isSlowness(effect)) return null;
  const slowed = slowedBy(effect);
  const most = slowed === null ? null : mostBy(cause);
  if (slowed === null || most === null || most >= 0.75 * (slowed - 1) - SLACK + 1) return null;
  const factor = Math.max(LEAST, Math.min(1, (most - 1 + SLACK / 2) / (slowed - 1)));
  const [by, of] = [most, slowed].map((ratio) => `${Math.round(100 * (ratio - 1))} %`);
  return { code: 'too_small', factor, why: `it can make steps ${by} longer at most, and they take ${of} longer` };
};

/** How many times as long a step can take at most by what the cause took away; null where that is not known. */
function mostBy({ events }: Facts): number | null {
  let most: number | null = null;
  for (const { attributes } of events) {
    const own = ratioOf(attributes);
    if (own === null) return null; // one that does not say may be any size
    most = Math.max(most ?? 1, own);
  }
  return most;
}

function ratioOf(attributes: Attributes): number | null {
  const also = ratio(attributes.also_quantity, attributes.also_before, attributes.also_after);
  return also ?? ratio(attributes.quantity, attributes.before, attributes.after);
}

function ratio(quantity: unknown, before: unknown, after: unknown): number | null {
  if (typeof quantity !== 'string' || !CAPACITY.test(quantity) || !isPositive(before) || !isPositive(after))
    return null;
  return Math.max(1, before / after);
}
