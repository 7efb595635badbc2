// Kernel GPUs: GPUs of AMD and Intel as the kernel's own drivers list them, with their parts, in the order in which the libraries
// of the vendor number them.

import type { Component } from '../model/component.ts';

export type KernelVendor = 'amd' | 'intel';

export interface KernelGpu {
  readonly vendor: KernelVendor;
  /** Among its aliases are the names of its device files, card1 and renderD129, and of AMD's the unique id, GPU-<16 digits>. */
  readonly component: Component;
  /**
   * What it is split into and used as: partitions of AMD (CPX, DPX, …), each with device files of its own, and tiles of Intel;
   * none where it is whole.
   */
  readonly parts: readonly Component[];
  /** It is in the CPU's package: Intel's libraries list these last. */
  readonly integrated: boolean;
}

/** The vendor's GPUs and parts as its libraries number them: each part of a split one is a device of its own. */
export function numbered(gpus: readonly KernelGpu[], vendor: KernelVendor): Component[] {
  return gpus
    .filter((gpu) => gpu.vendor === vendor)
    .flatMap(({ component, parts }) => (parts.length > 0 ? parts : [component]));
}

/** The GPU, or part of one, that has this name or address; the first part of a split one has the names of the whole. */
export function kernelDevice(gpus: readonly KernelGpu[], name: string, vendor?: KernelVendor): Component | undefined {
  const lower = name.toLowerCase();
  for (const { component, parts, vendor: own } of gpus) {
    if (vendor !== undefined && own !== vendor) continue;
    for (const each of [...parts, component])
      if (each.aliases?.some((alias) => alias.toLowerCase() === lower)) return each;
  }
  return undefined;
}
