// The driver's modules as they are taken out of the kernel, which only root does, and only while nothing uses a GPU.

import { hostOf, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

/**
 * nvlink_linux.c and nvidia-modeset-linux.c of NVIDIA's open modules, at the end of each. nvidia-uvm alone is taken out and put
 * in again without the others: no GPU is away then.
 */
const UNLOADED = /^(nvidia)-(?:nvlink: Unregistered Nvlink Core\b[\w ,]{0,80}|modeset: Unloading)\s*$/;

export function unloadLine(text: string, context: KernelContext): Finding | null {
  const driver = UNLOADED.exec(text)?.[1];
  return driver === undefined ? null : { kind: 'driver.unloaded', component: hostOf(context), attributes: { driver } };
}
