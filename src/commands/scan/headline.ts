// Headline: what an incident is called before and behind its report, in the words of the report's own first line.

import { headOf } from '../../incidents/report/head.ts';
import type { Incident } from '../../model/incident.ts';
import type { NextTo } from './next-to.ts';
import { SCAN_ZONE } from './zone.ts';

interface NextToIt {
  readonly nextTo: readonly NextTo[];
  readonly dumps: string | null;
}

/** How many words have room depends on all that the head says. */
export function headlineOf(incident: Incident, { nextTo, dumps }: NextToIt = { nextTo: [], dumps: null }): string {
  const own = nextTo.filter(({ of }) => of === incident.id);
  return headOf({
    incident,
    nowMs: incident.updatedMs,
    timeZone: SCAN_ZONE,
    place: null,
    dumps,
    nextTo: own.map(({ text }) => text),
    first: own.find(({ first }) => first !== undefined)?.first,
  }).root;
}
