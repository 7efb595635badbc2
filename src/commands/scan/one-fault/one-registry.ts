// One registry: pods that do not start for one registry's certificate is over are one incident, on whatever nodes they are.

import { expiredRegistry } from '../../../model/expired-registry.ts';
import type { Incident } from '../../../model/incident.ts';
import { type Group, isRooted, rootOf } from './groups.ts';

/** Groups of pods that wait for the same certificate, each led by the first. */
export function ofOneRegistry(incidents: readonly Incident[]): Group[] {
  const waiting = incidents.filter((one) => isRooted(one) && certificateOf(one) !== '');
  return [...Map.groupBy(waiting, certificateOf).values()].flatMap(([lead, ...others]) =>
    lead === undefined || others.length === 0 ? [] : [{ lead, others }],
  );
}

function certificateOf(incident: Incident): string {
  const message = rootOf(incident)?.attributes.message;
  const expired = incident.root.kind === 'pod.start_failed' ? expiredRegistry(String(message ?? '')) : null;
  return expired === null ? '' : `${expired.registry} ${expired.endedAt}`;
}
