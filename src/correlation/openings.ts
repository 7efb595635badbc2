// Openings: by which condition each incident of an earlier run continues.

import type { FaultEvent } from '../model/event.ts';
import { incidentId } from '../model/identity.ts';
import type { Incident } from '../model/incident.ts';
import type { Condition } from './belief/condition.ts';

export interface Opening {
  readonly incident: Incident;
  readonly opener: Condition;
}

/** By its first event, else its root, else whatever is left of it; an incident of which nothing is left has none. */
export function openingsOf(
  incidents: readonly Incident[],
  host: string,
  conditions: Iterable<Condition>,
): readonly Opening[] {
  const byEvent = new Map<FaultEvent['id'], Condition>();
  for (const condition of conditions) {
    for (const { id } of [condition.openedBy, ...condition.events]) byEvent.set(id, condition);
  }
  return incidents.flatMap((incident) => {
    const first = incident.events.find(({ id }) => incidentId(host, id) === incident.id);
    const candidates = [first?.id ?? '', incident.root.eventId, ...incident.events.map(({ id }) => id)];
    const opener = candidates.map((id) => byEvent.get(id)).find((condition) => condition !== undefined);
    return opener === undefined ? [] : [{ incident, opener }];
  });
}
