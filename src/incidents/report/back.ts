// Back: when a line says that what an incident is about was over.

import type { Incident } from '../../model/incident.ts';
import { resetMs } from './driver-reset.ts';
import { recoveredMs } from './recovered.ts';

/** Unix milliseconds; null where no line says so, or where it began again after it. */
export function backMs(incident: Pick<Incident, 'root' | 'events' | 'resolvedMs'>): number | null {
  const { root, events, resolvedMs } = incident;
  const recovered = recoveredMs(incident) ?? resetMs(incident);
  if (recovered !== null || resolvedMs === null) return recovered;
  return events.findLast(({ kind, state }) => kind === root.kind && state === 'clear')?.timeMs ?? null;
}
