// Corrected once: healthy links correct an error now and then; a link that is going away corrects until it is gone.

import type { Doubting } from './doubt.ts';

/** Errors of one moment: of a storm it is known to ten seconds when it happened last. */
const MOMENT_MS = 10_000;
const ONCE = 0.3;

export const correctedOnce: Doubting = (cause, effect) => {
  // Counted by the device, it is a storm of them.
  if (cause.kind !== 'pcie.corrected' || effect.kind === 'pcie.corrected' || cause.severity !== 'info') return null;
  if (cause.againMs - cause.onsetMs > MOMENT_MS) return null;
  const gapMs = effect.onset.earliestMs - Math.max(cause.onset.latestMs, cause.againMs);
  if (gapMs <= MOMENT_MS) return null;
  return {
    code: 'corrected_once',
    factor: ONCE,
    why: `the link corrected errors once, ${Math.round(gapMs / 1000)} s before, and no more`,
  };
};
