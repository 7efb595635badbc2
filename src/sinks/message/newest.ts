// Newest: what is left to be sent after a restart — each incident once, as it is now, never what it was in between.

import type { Logged } from '../../incidents/log/after.ts';
import type { Incident } from '../../model/incident.ts';

/** `restored`: open ones of the earlier run; `unsent`: what the log has and the spool may not have, in its order. */
export function newestOf(restored: readonly Incident[], unsent: readonly Logged[]): readonly Incident[] {
  const newest = new Map(restored.map((incident) => [incident.id, incident]));
  for (const entry of unsent) {
    if (!('incident' in entry)) continue;
    const { incident } = entry;
    const known = newest.get(incident.id);
    if (known !== undefined && known.revision >= incident.revision) continue;
    newest.delete(incident.id);
    newest.set(incident.id, incident);
  }
  return [...newest.values()];
}
