// Searched incident: what conditions look at of an incident.

import { placesOf } from '../../incidents/about.ts';
import type { Incident } from '../../model/incident.ts';
import type { Searched } from './conditions.ts';
import type { Placed } from './page.ts';

export interface SearchedIncident extends Placed, Searched {
  readonly incident: Incident;
}

/** One that was taken up by another is not open any more. */
export function searchedIncident(incident: Incident): SearchedIncident {
  const { id, openedMs, updatedMs, state, severity, chain, root, whose, mergedInto } = incident;
  const isOpen = state === 'open' && mergedInto === null;
  return {
    id,
    timeMs: openedMs,
    fromMs: openedMs,
    toMs: isOpen ? Number.POSITIVE_INFINITY : updatedMs,
    severity,
    kinds: [root.kind, ...chain.map(({ kind }) => kind)],
    places: placesOf(incident),
    whose,
    state: isOpen ? 'open' : 'resolved',
    incident,
  };
}
