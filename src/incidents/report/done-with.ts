// Done with: whether nothing is left to be done about an incident, for what it is about is over.

import type { Incident } from '../../model/incident.ts';
import { backMs } from './back.ts';
import { evictedBy } from './evicted.ts';
import { hasFailedWrites } from './failed-writes.ts';
import { isPortOver } from './port-over.ts';
import { WHILE_IT_LASTS } from './sentences.ts';

/** A log of a daemon says that it is over; a saved text (`place` null) only that it ends, save where one of its lines says so. */
export function isDoneWith(incident: Incident, place: string | null): boolean {
  const { state, rootKnown, action, root, events } = incident;
  if (state !== 'resolved' || evictedBy(incident) !== null || hasFailedWrites(incident)) return false;
  if (hasFailedSince(incident)) return false;
  const isEndSaid = events.some((event) => event.state === 'clear' && event.kind === root.kind);
  if (isEndSaid && (WAITED_OUT.has(root.kind) || isPortOver(incident))) return true;
  return (isEndSaid || place !== null) && rootKnown && WHILE_IT_LASTS.has(action.kind);
}
/** A file system that failed after the stall was over, as when its server lets the host in no more. */
function hasFailedSince(incident: Incident): boolean {
  const back = backMs(incident);
  const { root, events } = incident;
  if (back === null || !root.kind.startsWith('storage.')) return false;
  return events.some(
    ({ kind, state, timeMs, component }) =>
      FAILED.has(kind) && state !== 'clear' && timeMs >= back && component?.id === root.component?.id,
  );
}
const FAILED: ReadonlySet<string> = new Set(['storage.io_error', 'storage.readonly']);

/** Whose first steps ask whether it lasts, and then to wait for its end: of no use once a line says that it ended. */
const WAITED_OUT: ReadonlySet<string> = new Set(['storage.stall', 'storage.degraded', 'storage.full', 'storage.filling', 'host.down']); // biome-ignore format: one line
