// MIG names: which instance is called so. Drivers from branch 470 on give MIG-<uuid>; before, and still taken by CUDA and the container
// toolkit, MIG-GPU-<uuid of the GPU>/<GPU instance>/<compute instance>.

import type { Component } from '../model/component.ts';
import type { GpuFacts } from './host-gpus.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const OF_GPU = new RegExp(`^MIG-(GPU-${UUID})/(\\d{1,3})/\\d{1,3}$`, 'i');

/** Undefined where it is not one of this host, or not one name only. */
export function migInstance(
  name: string,
  { gpus, instances }: Pick<GpuFacts, 'gpus' | 'instances'>,
): Component | undefined {
  if (!/^MIG-[0-9a-f]{4}|^MIG-GPU-/i.test(name)) return undefined;
  const lower = name.toLowerCase();
  const found = instances.filter(({ component }) => component.aliases?.some((alias) => alias.toLowerCase() === lower));
  if (found.length === 1) return found[0]?.component;
  const [, uuid = '', number] = OF_GPU.exec(name) ?? [];
  const gpu = gpus.find(({ aliases }) => aliases?.some((alias) => alias.toLowerCase() === uuid.toLowerCase()));
  return instances.find(({ component }) => gpu !== undefined && component.id === `${gpu.id}/${number}`)?.component;
}
