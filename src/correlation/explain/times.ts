// Times: how often something happened, which is not how often it was reported: what two sources say of one fault is one fault.

import type { FaultEvent } from '../../model/event.ts';
import type { Condition } from '../belief/condition.ts';

/** As often as the source says that reports the most of it. */
export function timesOf({ count, events, hearsay }: Pick<Condition, 'count' | 'events' | 'hearsay'>): number {
  if (count <= 1) return count;
  const bySource = new Map<string, number>();
  let known = 0;
  for (const event of [...events, ...hearsay]) {
    known += event.count;
    const reporter = reporterOf(event);
    bySource.set(reporter, (bySource.get(reporter) ?? 0) + event.count);
  }
  // Of a storm not all events are kept: the others count in full.
  return Math.max(0, ...bySource.values()) + Math.max(0, count - known);
}

/** The kernel and a daemon may write into one log; NVML reports an XID, and besides it that its calls fail. */
function reporterOf({ source, trust, evidence: [line], attributes: { xid = '' } }: FaultEvent): string {
  return `${source} ${trust} ${line?.source ?? ''} ${xid}`;
}
