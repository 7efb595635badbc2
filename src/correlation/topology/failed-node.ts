// Failed node: that a scheduler calls another host of a job down means that the job ran there, too.

import type { FaultEvent } from '../../model/event.ts';
import type { Link } from '../../model/topology.ts';

/** The link that follows from the event; null for any other, and for this host: what runs here is known better. */
export function failedNodeLink({ kind, component, attributes }: FaultEvent, here: string): Link | null {
  const { job } = attributes;
  if (kind !== 'host.down' || component?.type !== 'host' || component.id === here) return null;
  if (typeof job !== 'string' || job === '') return null;
  return { from: component, to: { type: 'job', id: job }, relation: 'runs', source: 'host' };
}
