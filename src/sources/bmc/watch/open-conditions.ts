// Whether the polls see now what a log entry reports the beginning or the end of.

import type { Meaning } from '../log/meaning.ts';
import type { Edges } from './bmc-event.ts';

export function isOpenIn(edges: Edges, { kind, component }: Meaning): boolean {
  const slot = component.id.slice(component.id.indexOf('/') + 1);
  const ofPart = component.type !== 'host';
  switch (kind) {
    case 'psu.input_lost':
      return ofPart ? edges.isOpen(`input ${slot}`) : edges.any('input ');
    case 'psu.failure':
      return ofPart ? edges.isOpen(`failure ${slot}`) : edges.any('failure ');
    case 'psu.redundancy_lost':
      return edges.any('redundancy ');
    case 'host.fan_failure':
      return ofPart ? edges.isOpen(`fan ${slot}`) : edges.any('fan ');
    case 'host.overtemp':
      return edges.any('temperature ');
    case 'cooling.leak':
      return edges.any('leak ');
    case 'cooling.flow_low':
      return edges.any('flow ') || edges.any('pump ');
    default:
      return false;
  }
}
