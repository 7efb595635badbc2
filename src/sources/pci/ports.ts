// Ports above a device on the PCI bus: the kernel tells an error of a link by the port, the device, or both.

import { basename, dirname } from 'node:path';
import { type Component, canonicalPciAddress } from '../../model/component.ts';
import type { Discovery } from '../../model/record.ts';

/** Root port, switch and bridge: real hosts have six levels at most. */
const MAX_LEVELS = 16;

/**
 * Each port holds what is below it, from the link in /sys/bus/pci/devices ("../../../devices/pci0000:40/0000:40:01.1/
 * 0000:43:00.0"); null where the device hangs on no port that shows.
 */
export function portsAbove(link: string, host: string): Discovery | null {
  const chain: Component[] = [];
  for (let path = link; chain.length <= MAX_LEVELS; path = dirname(path)) {
    const id = canonicalPciAddress(basename(path));
    if (id === null) break;
    chain.push({ type: 'pcie', id, host });
  }
  const [component] = chain;
  if (component === undefined || chain.length < 2) return null;
  const links = chain.slice(1).map((from, i) => {
    const to = chain[i] ?? component;
    return { from, to, relation: 'contains', source: 'host' } as const;
  });
  return { component, links };
}
