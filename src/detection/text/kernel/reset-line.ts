// GPUs that root resets through the kernel's own file (/sys/bus/pci/devices/ADDRESS/reset), whichever tool writes it.

import { ADDRESS, gpuAt, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

/**
 * drivers/pci/pci.c, pci_dev_save_and_disable() and pci_dev_restore(): "nvidia 0000:43:00.0: resetting". The recovery from PCIe errors
 * resets by other functions, and has words of its own ("AER: Downstream Port link has been reset").
 */
const RESET = new RegExp(`^(nvidia|amdgpu) (${ADDRESS}): (?:resetting|reset done)\\s*$`);

export function resetLine(text: string, context: KernelContext): Finding | null {
  const [, driver, address] = RESET.exec(text) ?? [];
  if (driver === undefined || address === undefined) return null;
  return { kind: 'gpu.reset', component: gpuAt(address, context), attributes: { driver, how: 'sysfs' } };
}
