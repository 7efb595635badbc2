// Which GPU of AMD or Intel a rank uses, by its local rank and what its variables, its container and its scheduler leave it; null
// where that is a guess.

import type { Component } from '../../model/component.ts';
import { type KernelGpu, type KernelVendor, numbered } from '../kernel-gpus.ts';
import type { DeviceVariables } from './environment.ts';
import { byList, byMask, bySelector, type RootDevice } from './kernel-variables.ts';

interface RankDevices {
  readonly localRank: number | null;
  readonly devices: DeviceVariables;
}

/** Some of the devices; `isLimited`: not simply all of them. */
interface Visible {
  readonly units: readonly Component[];
  readonly isLimited: boolean;
}

/** `given`: ids of what its container was given; only these are there for it. */
export function kernelGpuOf(
  rank: RankDevices,
  gpus: readonly KernelGpu[],
  given: readonly string[] = [],
): Component | null {
  const vendor = vendorOf(rank.devices, gpus);
  if (vendor === null) return null;
  const own = gpus.filter((gpu) => gpu.vendor === vendor);
  const isThere = (id: string) => given.length === 0 || given.includes(id);
  const inside = withinOf(own, isThere);
  const { batch } = rank.devices;
  if (batch === null || given.length > 0)
    return pick(visible(inside, vendor, rank.devices), rank.localRank, given.length > 0);
  // The scheduler's list counts over the host. Where it shuts the others out, the libraries count from 0 among these.
  const units = numbered(own, vendor);
  const listed = byList(units, batch);
  if (listed.length !== batch.split(',').length) return null;
  const ids = new Set(listed.map(({ id }) => id));
  const among = pick(
    visible(
      withinOf(own, (id) => ids.has(id)),
      vendor,
      rank.devices,
    ),
    rank.localRank,
    true,
  );
  if (isFree(rank.devices)) return among;
  const over = pick(visible(inside, vendor, rank.devices), rank.localRank, false);
  const both = [among, over].filter((each) => each !== null && ids.has(each.id));
  return new Set(both.map((each) => each?.id)).size === 1 ? (both[0] ?? null) : null;
}

/** The vendor that there is, else the one that its variables are of. */
function vendorOf({ kernel }: DeviceVariables, gpus: readonly KernelGpu[]): KernelVendor | null {
  const [vendor, ...others] = new Set(gpus.map((gpu) => gpu.vendor));
  if (vendor === undefined || others.length === 0) return vendor ?? null;
  const amd = kernel.rocr !== null || kernel.hip !== null;
  const intel = kernel.mask !== null || kernel.selector?.startsWith('level_zero') === true;
  return amd === intel ? null : amd ? 'amd' : 'intel';
}

function isFree({ cuda, kernel: { rocr, hip, mask, selector } }: DeviceVariables): boolean {
  return [cuda, rocr, hip, mask, selector].every((each) => each === null);
}

/** A split GPU with the parts that are there. */
function withinOf(gpus: readonly KernelGpu[], isThere: (id: string) => boolean): KernelGpu[] {
  return gpus.flatMap((gpu): KernelGpu[] => {
    if (isThere(gpu.component.id)) return [gpu];
    const parts = gpu.parts.filter(({ id }) => isThere(id));
    return parts.length === 0 ? [] : [{ ...gpu, parts }];
  });
}

/** Null where that is not known. */
function visible(gpus: readonly KernelGpu[], vendor: KernelVendor, variables: DeviceVariables): Visible | null {
  return vendor === 'amd' ? ofAmd(gpus, variables) : ofIntel(gpus, variables);
}

function ofAmd(gpus: readonly KernelGpu[], { cuda, kernel: { rocr, hip, selector } }: DeviceVariables): Visible | null {
  let units: readonly Component[] = numbered(gpus, 'amd');
  const lists = [rocr, hip ?? cuda];
  for (const list of lists) if (list !== null) units = byList(units, list);
  const devices = units.map((component): RootDevice => ({ component, parts: [], integrated: false }));
  return selected(devices, selector, 'hip', lists.some((list) => list !== null)); // biome-ignore format: one line
}

function ofIntel(gpus: readonly KernelGpu[], { kernel }: DeviceVariables): Visible | null {
  const { mask, isComposite, byPciAddress, selector } = kernel;
  const cards = [...gpus].sort((a, b) => (a.component.id < b.component.id ? -1 : 1));
  let devices: readonly RootDevice[] = cards.flatMap((gpu): RootDevice[] =>
    isComposite || gpu.parts.length === 0 ? [gpu] : gpu.parts.map((component) => ({ ...gpu, component, parts: [] })),
  );
  if (mask !== null) devices = byMask(devices, mask, isComposite);
  if (!byPciAddress)
    devices = [...devices.filter(({ integrated }) => !integrated), ...devices.filter(({ integrated }) => integrated)];
  return selected(devices, selector, 'level_zero', mask !== null);
}

function selected(
  devices: readonly RootDevice[],
  selector: string | null,
  backend: string,
  isLimited: boolean,
): Visible | null {
  const left = selector === null ? devices : bySelector(devices, selector, backend);
  if (left === null) return null;
  const units = left.map(({ component }) => component);
  return { units, isLimited: isLimited || left.length < devices.length };
}

/** A launcher that gives each rank one device leaves the local rank as it is. */
function pick(seen: Visible | null, localRank: number | null, isLimited: boolean): Component | null {
  if (seen === null) return null;
  const [one, ...others] = seen.units;
  if (one !== undefined && others.length === 0 && (isLimited || seen.isLimited)) return one;
  return localRank === null ? null : (seen.units[localRank] ?? null);
}
