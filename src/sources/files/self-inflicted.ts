// The event of a read that makes the kernel log errors, and that is therefore given up.

import type { EventInput } from '../../model/record.ts';
import type { KernelRecord } from '../../native.ts';

/** `path` is the file, `record` the kernel's line. */
export function selfInflicted(
  source: string,
  host: string,
  path: string,
  record: KernelRecord,
  nowMs: number,
): EventInput {
  const text = `FL2604 reading ${path} makes the kernel log errors; it is not read any more until the next start`;
  return {
    kind: 'agent.self_inflicted',
    component: { type: 'host', id: host },
    timeMs: record.timeMs,
    observedMs: nowMs,
    trust: 'system',
    source,
    attributes: { code: 'FL2604', path },
    evidence: [
      { source, timeMs: nowMs, text },
      { source: 'kernel-log', timeMs: record.timeMs, text: record.text },
    ],
    discriminator: path,
  };
}
