// Device files of the kernel's GPU drivers: card0 and renderD128, each with the device that it belongs to.

import { basename, join } from 'node:path';
import { canonicalPciAddress } from '../../model/component.ts';
import type { SmallFiles } from '../files/small-files.ts';

/** The kernel numbers up to 64 of each kind, and since 6.13 any number. */
const MAX_NAMES = 1024;
const NAME = /^(?:card\d{1,4}|renderD\d{3,5})$/;

export interface DrmDevice {
  /** PCI address, or the name of a partition of AMD's, amdgpu_xcp_3, which sits on no bus. */
  readonly id: string;
  /** In sysfs. */
  readonly folder: string;
  /** card1, renderD129. */
  readonly names: readonly string[];
}

/** By id; null where there is no such folder. */
export async function drmDevices(files: SmallFiles, sys: string): Promise<Map<string, DrmDevice> | null> {
  const folder = join(sys, 'class/drm');
  const names = (await files.list(folder))?.filter((name) => NAME.test(name));
  if (names === undefined) return null;
  const found = new Map<string, DrmDevice>();
  for (const name of names.slice(0, MAX_NAMES)) {
    const device = await files.real(join(folder, name, 'device'));
    if (device === null) continue;
    const last = basename(device);
    const id = canonicalPciAddress(last) ?? (/^amdgpu_xcp_\d{1,4}$/.test(last) ? last : null);
    if (id === null) continue;
    found.set(id, { id, folder: device, names: [...(found.get(id)?.names ?? []), name] });
  }
  return found;
}
