// Reads what native code says of the host's clocks: a step of the wall clock, or a suspend.

import type { ClockJump } from '../../model/clock-jump.ts';
import type { Notice } from '../../native.ts';

/** Null for every other notice. */
export function readClockJump(notice: Notice): ClockJump | null {
  if (notice.type !== 'clock_jump' || !Number.isFinite(notice.value)) return null;
  const details: unknown = notice.text.startsWith('{') ? JSON.parse(notice.text) : null;
  const said = typeof details === 'object' && details !== null && 'previous_ms' in details ? details.previous_ms : null;
  const previousMs = typeof said === 'number' ? said : notice.timeMs;
  return {
    what: notice.name === 'suspend' ? 'suspend' : 'step',
    byMs: notice.value,
    when: { earliestMs: Math.min(previousMs, notice.timeMs), latestMs: notice.timeMs },
  };
}
