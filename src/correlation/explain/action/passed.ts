// Passed: a slowdown that was over in moments, came once and had no consequence asks for nothing.

import type { Incident } from '../../../model/incident.ts';
import type { Kind } from '../../../model/kind.ts';
import { compareSeverity } from '../../../model/severity.ts';
import type { Cluster } from '../../belief/condition.ts';

/** What a GPU does at the edge of its range, and stops by itself. */
const PASSING: ReadonlySet<Kind> = new Set<Kind>(['gpu.thermal_throttle']);
/** From here on it is an error, whatever follows: see the detectors of the kind. */
const BRIEF_MS = 30_000;

/** Null where it lasts, came again, was grave, or anything followed. */
export function passed({ root, members }: Cluster): Incident['action'] | null {
  const { kind, component, severity, count, onsetMs, endMs, latestClear } = root;
  // A report of a state, as nvidia-smi prints one, says that it is so, and never that it is over.
  if (
    !PASSING.has(kind) ||
    endMs === null ||
    latestClear === null ||
    count > 1 ||
    compareSeverity(severity, 'warning') > 0
  )
    return null;
  if (endMs - onsetMs >= BRIEF_MS) return null;
  const followed = members.some(({ condition: one }) => one !== root && compareSeverity(one.severity, 'warning') >= 0);
  if (followed) return null;
  const seconds = Math.max(1, Math.round((endMs - onsetMs) / 1000));
  return {
    kind: 'none',
    target: component,
    why: `over after ${seconds} s, once, and nothing followed; look at the cooling where it comes back`,
  };
}
