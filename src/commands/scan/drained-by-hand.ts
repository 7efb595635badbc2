// Drained by hand: nodes that a person took out of service, with their own words on why. Nothing failed by that, and no work comes there.

import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { formatTime } from '../../model/time.ts';

/** More are counted. */
const MOST = 8;
const LONGEST = 200;
/** As Slurm writes nodes; nothing else is pasted. */
const LIST = /^[\w.,[\]-]+$/;

/** A line for each node; none of what an incident has already. */
export function drainedByHand(
  events: readonly { readonly event: FaultEvent }[],
  incidents: readonly Incident[],
): string[] {
  const known = new Set(incidents.flatMap((incident) => incident.events.map(({ id }) => id)));
  const latest = new Map<string, FaultEvent>();
  for (const { event } of events) {
    const { kind, component, state, attributes } = event;
    if (kind !== 'host.drained' || component?.type !== 'host' || known.has(event.id)) continue;
    if (state === 'clear') latest.delete(component.id);
    else if (typeof attributes.reason === 'string') latest.set(component.id, event);
  }
  const lines = [...latest].slice(0, MOST).map(([host, event]) => lineOf(plain(host, LONGEST), event));
  return latest.size > MOST ? [...lines, `Drained as well: ${latest.size - MOST} more.`] : lines;
}

function lineOf(host: string, { timeMs, attributes: { reason, set_by: by, what, job } }: FaultEvent): string {
  if (what === 'unavailable')
    return `To be looked at: ${host} not available to job ${plain(String(job), LONGEST)}, which waits for it: sinfo -R -n ${LIST.test(host) ? host : 'NODES'} says why.`;
  const who = typeof by === 'string' ? ` by ${plain(by, LONGEST)}` : '';
  const why = plain(String(reason), LONGEST);
  const back = /^[\w][\w.-]*$/.test(host) ? ` Back into service: scontrol update nodename=${host} state=resume` : '';
  return `Drained${who}, ${formatTime(timeMs, 0)}: ${host}, "${why}".${back}`;
}
