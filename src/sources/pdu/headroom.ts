// What is left up to the rating of a branch, an inlet or a phase: a series to plan by, and what a warning before the limit goes by.

import type { SampleBatch } from '../../model/record.ts';
import { keyOf } from './cell-keys.ts';
import type { PduPlan } from './pdu-plan.ts';
import type { PduCell } from './read-cells.ts';

/** Null where no part with a rating was read. */
export function headroomOf(plan: PduPlan | null, cells: readonly PduCell[]): SampleBatch | null {
  const ratings = plan === null ? null : ratingsOf(plan);
  if (ratings === null || ratings.size === 0) return null;
  const keys: string[] = [];
  const timesMs: number[] = [];
  const values: number[] = [];
  const add = (key: string, timeMs: number, value: number): void => {
    keys.push(key);
    timesMs.push(timeMs);
    values.push(value);
  };
  for (const { component, field, value, timeMs } of cells) {
    if (field !== 'current' || typeof value !== 'number') continue;
    const rating = ratings.get(keyOf(component, 'current'));
    if (rating === undefined) continue;
    add(keyOf(component, 'current_headroom'), timeMs, rating - value);
    add(keyOf(component, 'current_share'), timeMs, value / rating);
  }
  return keys.length === 0 ? null : { source: 'pdu', trust: 'facility', keys, timesMs, values };
}

const known = new WeakMap<PduPlan, ReadonlyMap<string, number>>();

/** A, by the series that is held against it; made once for each discovery. */
function ratingsOf(plan: PduPlan): ReadonlyMap<string, number> {
  let ratings = known.get(plan);
  if (ratings === undefined) {
    ratings = new Map(
      plan.parts.flatMap(({ component, ratingA }) =>
        ratingA === null || ratingA <= 0 || component.type === 'pdu_outlet'
          ? []
          : [[keyOf(component, 'current'), ratingA]],
      ),
    );
    known.set(plan, ratings);
  }
  return ratings;
}
