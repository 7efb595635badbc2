// Devices that root takes off the bus (/sys/bus/pci/devices/ADDRESS/remove), most often to have the bus scanned again.

import { canonicalPciAddress } from '../../../model/component.ts';
import { ADDRESS, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

/** drivers/iommu/iommu.c, iommu_group_remove_device(): the device has no driver any more, so that the bus is named in its place. */
const REMOVED = new RegExp(`^pci (${ADDRESS}): Removing from iommu group \\d{1,5}\\s*$`);
/** A port that went down takes what is behind it off the bus in the same words, some seconds later. */
const AFTER_FAULT_MS = 60_000;

/** Null after an error of the bus: what follows from that was not asked for. */
export function removalLine(text: string, context: KernelContext, timeMs: number): Finding | null {
  const address = canonicalPciAddress(REMOVED.exec(text)?.[1] ?? '');
  if (address === null) return null;
  const { busFaultMs } = context;
  if (busFaultMs !== null && Math.abs(timeMs - busFaultMs) <= AFTER_FAULT_MS) return null;
  const component = { type: 'pcie', id: address, host: context.host } as const;
  return { kind: 'pcie.removed', component, attributes: { how: 'sysfs' } };
}
