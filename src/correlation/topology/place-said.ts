// Place said: where an event is, as its source has it or as its line names a card that this host knows.

import type { Place } from '../../identity/aliases.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { TopologyIndex } from './topology-index.ts';

/** Null where neither says it. Programs name cards as libibverbs does (mlx5_2): which card that is only its host knows. */
export function placeSaid({ kind, component, attributes }: FaultEvent, topology: TopologyIndex): Place | null {
  if (component !== null) return topology.placeOf(component);
  const { device, printed_on: printer } = attributes;
  if (!kind.startsWith('nic.') || typeof device !== 'string') return null;
  // A log that several hosts share has lines of cards of the others, which have the same names.
  if (typeof printer === 'string' && unqualified(printer) !== unqualified(topology.host)) return null;
  const place = topology.placeOf({ type: 'nic', id: device, host: topology.host });
  return place.component.id === device ? null : place;
}

function unqualified(host: string): string {
  return host.split('.', 1)[0] ?? host;
}
