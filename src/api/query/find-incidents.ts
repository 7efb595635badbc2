// Find incidents: the answer out of incidents that are in memory.

import type { Incident } from '../../model/incident.ts';
import type { AskedIncidents, FoundIncidents } from './asked.ts';
import { IncidentSearch } from './incident-search.ts';

/** What is found among these, each its newest revision. */
export function findIncidents(
  all: readonly Incident[],
  asked: AskedIncidents,
  completeSinceMs: number,
): FoundIncidents {
  const search = new IncidentSearch(asked);
  for (const incident of all) search.take(incident);
  const byId = new Map(all.map((incident) => [incident.id, incident]));
  const { ids, ...found } = search.found();
  return { ...found, incidents: ids.flatMap((id) => byId.get(id) ?? []), said: {}, completeSinceMs };
}
