// Reads what native code says of the host's clocks: a step of the wall clock, or a suspend.

import type { ClockJump } from '../model/clock-jump.ts';
import type { Notice } from '../native.ts';

/** Null for every other notice. */
export function readClockJump(notice: Notice): ClockJump | null {
  if (notice.name !== 'clock_jump') return null;
  const { what, byMs, previousMs, timeMs } = notice;
  return { what, byMs, when: { earliestMs: Math.min(previousMs, timeMs), latestMs: timeMs } };
}
