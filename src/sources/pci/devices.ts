// What of NVIDIA sits on the PCI bus: GPUs with the driver that is bound to them, and NVSwitches.

import { basename, join } from 'node:path';
import { canonicalPciAddress } from '../../model/component.ts';
import { type PciIdentity, PciWalk } from '../files/pci-walk.ts';
import type { SmallFiles } from '../files/small-files.ts';
import type { PciGpu } from './gpu-count.ts';

const NVIDIA = '0x10de';
/** Display controllers: VGA (0x0300) and 3D (0x0302) (PCI Code and ID Assignment Specification). */
const GPU_CLASS = /^0x03[0-9a-f]{4}$/;
/** NVSwitches show as bridges of another kind. */
const SWITCH_CLASS = /^0x0680[0-9a-f]{2}$/;
const MAX_GPUS = 64;

type Kind = 'gpu' | 'nvswitch' | 'other';

export interface Bus {
  readonly gpus: readonly PciGpu[];
  readonly switches: number;
}

export class PciDevices {
  readonly #files: SmallFiles;
  readonly #walk: PciWalk<Kind>;

  constructor(files: SmallFiles, sys: string) {
    this.#files = files;
    this.#walk = new PciWalk(files, sys, kindOf, 'other');
  }

  /** Null where there is no PCI bus, or while a file of it hangs. */
  async read(): Promise<Bus | null> {
    const walked = await this.#walk.walk();
    if (walked === null) return null;
    const gpus: PciGpu[] = [];
    for (const { address, folder } of walked.devices.filter(({ kind }) => kind === 'gpu').slice(0, MAX_GPUS)) {
      const driver = await this.#files.link(join(folder, 'driver'));
      gpus.push({ address, driver: driver === null ? null : basename(driver) });
    }
    const switches = walked.devices.filter(({ kind }) => kind === 'nvswitch').length;
    return this.#files.stuck.length > 0 ? null : { gpus, switches };
  }

  /** Where the device hangs on the bus, as its link in the list of devices tells; null where it does not. */
  place(address: string): Promise<string | null> {
    return this.#files.link(join(this.#walk.root, address));
  }
}

function kindOf({ vendor, type }: PciIdentity): Kind {
  if (vendor !== NVIDIA) return 'other';
  return GPU_CLASS.test(type) ? 'gpu' : SWITCH_CLASS.test(type) ? 'nvswitch' : 'other';
}

/** Addresses that the kernel module has; null where it has no folder, or a container's own lies over it. */
export async function driverAddresses(files: SmallFiles, proc: string): Promise<string[] | null> {
  const folder = join(proc, 'driver/nvidia');
  // The container toolkit mounts a file system of its own there, which shows the container's own GPUs only.
  if ((await files.device(folder)) !== (await files.device(proc))) return null;
  const names = await files.list(join(folder, 'gpus'));
  return names?.map(canonicalPciAddress).filter((address) => address !== null) ?? null;
}
