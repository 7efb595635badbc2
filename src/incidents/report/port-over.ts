// Port over: a port that went down once and came back, with nothing else seen of it and no work lost: what is at its other end was mostly
// restarted. One that goes down again, counts errors or took a job with it has a cable to be seen to.

import type { Incident } from '../../model/incident.ts';
import { backMs } from './back.ts';

export function isPortOver(incident: Pick<Incident, 'root' | 'events' | 'resolvedMs'>): boolean {
  const { root, events } = incident;
  if (root.kind !== 'nic.port_down' || backMs(incident) === null) return false;
  const others = events.filter(({ state }) => state !== 'clear');
  const [own, ...more] = others;
  return own !== undefined && more.length === 0 && own.id === root.eventId && own.count === 1 && !isSeenTo(own);
}

/** Its switch switched it off, or its operator did. */
function isSeenTo({ attributes: { disabled, planned } }: Incident['events'][number]): boolean {
  return disabled !== undefined || planned !== undefined;
}
