// What is left up to the rating of a branch, an inlet or a phase: a series to plan by, and what a warning before the limit goes by.

import { componentText } from '../../model/component.ts';
import { seriesKey } from '../../model/reading.ts';
import type { SampleBatch } from '../../model/record.ts';
import type { PduPlan } from './pdu-plan.ts';
import type { PduCell } from './read-cells.ts';

/** Null where no part with a rating was read. */
export function headroomOf(plan: PduPlan | null, cells: readonly PduCell[]): SampleBatch | null {
  const ratings = new Map(
    (plan?.parts ?? []).flatMap(({ component, ratingA }) =>
      ratingA === null || ratingA <= 0 || component.type === 'pdu_outlet' ? [] : [[componentText(component), ratingA]],
    ),
  );
  const keys: string[] = [];
  const timesMs: number[] = [];
  const values: number[] = [];
  const add = (key: string, timeMs: number, value: number): void => {
    keys.push(key);
    timesMs.push(timeMs);
    values.push(value);
  };
  for (const { component, field, value, timeMs } of cells) {
    const name = componentText(component);
    const rating = ratings.get(name);
    if (field !== 'current' || typeof value !== 'number' || rating === undefined) continue;
    add(seriesKey(name, 'current_headroom'), timeMs, rating - value);
    add(seriesKey(name, 'current_share'), timeMs, value / rating);
  }
  return keys.length === 0 ? null : { source: 'pdu', trust: 'facility', keys, timesMs, values };
}
