// Network back: a port that was up again long before a file server did not answer was not in its way.

import type { Doubting } from './doubt.ts';
import { overAtMs } from './over-at.ts';

/** TCP sends again within this time of the way being back, up to its longest pause between two attempts in the first minutes. */
const SENDS_AGAIN_MS = 30_000;
const OVER = 0.2;

export const networkBack: Doubting = (cause, effect) => {
  if (!cause.kind.startsWith('nic.')) return null;
  const endMs = overAtMs(cause);
  if (endMs === null) return null;
  const gapMs = effect.onset.earliestMs - endMs;
  if (gapMs <= SENDS_AGAIN_MS) return null;
  return {
    code: 'over_before',
    factor: OVER,
    why: `it was over ${Math.round(gapMs / 1000)} s before the storage stood`,
  };
};
