// Foreign outlet: an outlet of a PDU that feeds this host by others of its outlets; what happens to it happens to another's load.

import type { FaultEvent } from '../model/event.ts';
import type { TopologyIndex } from './topology/topology-index.ts';

/** The event as far as it matters to this host: one of an outlet that feeds something else is a mere fact. */
export function asSeenHere(event: FaultEvent, topology: TopologyIndex): FaultEvent {
  const { component, severity } = event;
  return severity !== 'info' && component !== null && topology.isForeignOutlet(component)
    ? { ...event, severity: 'info' }
    : event;
}
