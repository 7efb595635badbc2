// By which variables AMD's and Intel's libraries leave a process fewer GPUs, and which order they have then.

import type { Component } from '../../model/component.ts';

export interface KernelVariables {
  /** ROCR_VISIBLE_DEVICES. */
  readonly rocr: string | null;
  /** HIP_VISIBLE_DEVICES; HIP takes CUDA_VISIBLE_DEVICES where that is not set. */
  readonly hip: string | null;
  /** ZE_AFFINITY_MASK. */
  readonly mask: string | null;
  /** ZE_FLAT_DEVICE_HIERARCHY: COMPOSITE where a split GPU is one device with parts; else each tile is a device. */
  readonly isComposite: boolean;
  /** ZE_ENABLE_PCI_ID_DEVICE_ORDER; else what is in the CPU's package comes last. */
  readonly byPciAddress: boolean;
  /** ONEAPI_DEVICE_SELECTOR. */
  readonly selector: string | null;
}

/** A GPU as Level Zero counts it, with its tiles. */
export interface RootDevice {
  readonly component: Component;
  readonly parts: readonly Component[];
  readonly integrated: boolean;
}

/**
 * ROCr and HIP read their lists up to the first entry that names no device: indices among what is left so far, or UUIDs, of which
 * the beginning is enough (ROCR-Runtime filter of agents; clr rocdevice.cpp).
 */
export function byList(units: readonly Component[], list: string): readonly Component[] {
  const found: Component[] = [];
  for (const entry of list.split(',').map((each) => each.trim())) {
    const unit = /^\d{1,4}$/.test(entry) ? units[Number(entry)] : byUuid(units, entry);
    if (unit === undefined) break;
    if (!found.includes(unit)) found.push(unit);
  }
  return found;
}

function byUuid(units: readonly Component[], text: string): Component | undefined {
  if (!/^GPU-[0-9a-f]{1,16}$/i.test(text)) return undefined;
  const lower = text.toLowerCase();
  const found = units.filter(({ aliases }) => aliases?.some((alias) => alias.toLowerCase().startsWith(lower)));
  return found.length === 1 ? found[0] : undefined;
}

/**
 * What a mask of Level Zero leaves, in the order of the devices whatever that of the mask is: `2`, and of composite devices `0.1`
 * for a tile (Level Zero specification, affinity mask; compute-runtime execution_environment.cpp).
 */
export function byMask(devices: readonly RootDevice[], mask: string, isComposite: boolean): readonly RootDevice[] {
  const chosen = new Map<number, Set<number> | 'all'>();
  for (const entry of mask.split(',').map((each) => each.trim())) {
    const match = /^(\d{1,4})(?:\.(\d{1,3}))?$/.exec(entry);
    if (match === null) continue;
    const device = Number(match[1]);
    const before = chosen.get(device);
    if (match[2] === undefined || !isComposite) chosen.set(device, 'all');
    else if (before !== 'all') chosen.set(device, new Set([...(before ?? []), Number(match[2])]));
  }
  return devices.flatMap((device, at): RootDevice[] => {
    const tiles = chosen.get(at);
    if (tiles === undefined) return [];
    if (tiles === 'all' || device.parts.length === 0) return [device];
    const parts = device.parts.filter((_, tile) => tiles.has(tile));
    const [one] = parts;
    return one === undefined
      ? []
      : [parts.length === 1 ? { ...device, component: one, parts: [] } : { ...device, parts }];
  });
}

/**
 * What ONEAPI_DEVICE_SELECTOR leaves of the devices of `backend`; null where it counts in a way that is not known here: over all
 * backends, in that of another, or with terms that discard (intel/llvm, EnvironmentVariables.md).
 */
export function bySelector(
  devices: readonly RootDevice[],
  selector: string,
  backend: string,
): readonly RootDevice[] | null {
  const chosen = new Set<RootDevice>();
  for (const term of selector.split(';').map((each) => each.trim())) {
    const [, of = '', list = ''] = /^([a-z_*]+):(.+)$/i.exec(term) ?? [];
    if (list === '') return null;
    const isOurs = of.toLowerCase() === backend;
    for (const entry of list.split(',').map((each) => each.trim().toLowerCase())) {
      if (entry === '*' || entry === 'gpu') {
        for (const each of devices) chosen.add(each);
        continue;
      }
      if (entry === 'cpu' || entry === 'fpga') continue;
      const [, number = '', part] = /^(\d{1,4})(?:\.(\d{1,3}|\*))?$/.exec(entry) ?? [];
      const device = isOurs && number !== '' ? devices[Number(number)] : undefined;
      if (device === undefined) return null;
      const tiles =
        part === undefined
          ? [device.component]
          : part === '*'
            ? device.parts
            : device.parts.slice(Number(part), Number(part) + 1);
      if (tiles.length === 0) return null;
      for (const component of tiles)
        chosen.add(component === device.component ? device : { ...device, component, parts: [] });
    }
  }
  return [...chosen];
}
