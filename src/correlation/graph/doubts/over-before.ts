// Over before: what was over before steps became slow does not make them slow.

import type { Doubting } from './doubt.ts';
import { isSlowness, jobClock } from './job-clock.ts';
import { overAtMs } from './over-at.ts';

/** Steps that began while it lasted end slow. */
const UNDER_WAY = 2;
const SHORTEST_MS = 3_000;
const OVER = 0.25;

export const overBefore: Doubting = (cause, effect) => {
  const endMs = isSlowness(effect) ? overAtMs(cause) : null;
  if (endMs === null) return null;
  const clock = jobClock(effect);
  if (clock === null) return null;
  const gapMs = clock.lastStepMs - endMs;
  if (gapMs <= Math.max(SHORTEST_MS, UNDER_WAY * clock.stepMs)) return null;
  return {
    code: 'over_before',
    factor: OVER,
    why: `it was over ${Math.round(gapMs / 1000)} s before steps became slow`,
  };
};
