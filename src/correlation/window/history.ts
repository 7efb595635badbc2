// History: what was over already when it was heard of, by how late an event may be.

import type { FaultEvent } from '../../model/event.ts';

/** It was over for longer than an event may be late: what had to last to be reported is as new as its last reading. */
export function isHistory({ observedMs, interval, attributes }: FaultEvent, latenessMs: number): boolean {
  const { lasted_ms: lasted, detector, history, time_from: from } = attributes;
  // Read out of what was written before, by a line that has no time: when it was read says nothing.
  if (history === true && from === 'arrival') return true;
  const lastedMs = typeof lasted === 'number' && typeof detector === 'string' && lasted > 0 ? lasted : 0;
  return observedMs - interval.latestMs - lastedMs > latenessMs;
}
