// Usually harmless: such events were over on this host before, and nothing followed from them.

import type { Past } from '../../window/past-events.ts';
import type { Doubt } from './doubt.ts';

/** Fewer say nothing. */
const LEAST = 3;
/** So many times with a consequence are assumed of what was never seen here. */
const ASSUMED = 3;
const FLOOR = 0.35;

export function usuallyHarmless({ withConsequence, without }: Past): Doubt | null {
  const all = withConsequence + without;
  if (all < LEAST || without <= withConsequence) return null;
  const factor = Math.max(FLOOR, Math.sqrt((withConsequence + ASSUMED) / (all + ASSUMED)));
  const nothing = withConsequence === 0 ? 'without any consequence' : `${without} times without any consequence`;
  return { code: 'usually_harmless', factor, why: `it happened here ${all} times before, ${nothing}` };
}
