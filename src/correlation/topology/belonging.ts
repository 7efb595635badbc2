// Belonging: what lies above a part and serves nothing else — the port that a card hangs on, the outlet that feeds one supply.

import { type Component, componentText } from '../../model/component.ts';
import { cardOf, pciDevice } from './place.ts';
import { CONFIGURED, type TopologyIndex } from './topology-index.ts';

const ON_BUS = /^(?:pcie|gpu|nic|nvswitch)\//;

/** Whether nothing but the part hangs on what is above it: who works on the part takes that along. */
export function servesOnly(above: Component, part: Component, topology: TopologyIndex): boolean {
  if (above.type === 'pdu_outlet') return part.type === 'psu' && feedsOnly(above, part, topology);
  return above.type === 'pcie' && isPortOf(above, part, topology);
}

function feedsOnly(outlet: Component, supply: Component, topology: TopologyIndex): boolean {
  if (topology.quality(outlet, supply) < CONFIGURED) return false;
  for (const text of topology.reachedFrom(outlet))
    if (text.startsWith('psu/') && text !== componentText(supply)) return false;
  return true;
}

/** A port, its bridges, and below them the functions of one card, or one disk. */
function isPortOf(port: Component, part: Component, topology: TopologyIndex): boolean {
  if (topology.quality(port, part) < CONFIGURED) return false;
  const card = cardOf(part);
  const leadsThere = (id: string): boolean => topology.quality({ type: 'pcie', id }, part) >= CONFIGURED;
  for (const text of topology.reachedFrom(port)) {
    const id = text.slice(text.indexOf('/') + 1);
    if (text.startsWith('disk/') ? part.type === 'disk' && text !== componentText(part) : false) return false;
    if (!ON_BUS.test(text) || id === pciDevice(port)) continue;
    if ((card === null || id.split('.')[0] !== card) && !leadsThere(id)) return false;
  }
  return true;
}
