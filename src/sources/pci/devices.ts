// What of NVIDIA sits on the PCI bus: GPUs with the driver that is bound to them, and NVSwitches.

import { basename, join } from 'node:path';
import { canonicalPciAddress } from '../../model/component.ts';
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
  readonly #root: string;
  /** A device at an address stays what it is for as long as the address is listed. */
  #kinds = new Map<string, Kind>();

  constructor(files: SmallFiles, sys: string) {
    this.#files = files;
    this.#root = join(sys, 'bus/pci/devices');
  }

  /** Null where there is no PCI bus, or while a file of it hangs. */
  async read(): Promise<Bus | null> {
    const names = await this.#files.list(this.#root);
    if (names === null) return null;
    const kinds = new Map<string, Kind>();
    const gpus: PciGpu[] = [];
    let switches = 0;
    for (const name of names) {
      const address = canonicalPciAddress(name);
      if (address === null) continue;
      const kind = this.#kinds.get(name) ?? (await this.#kindOf(join(this.#root, name)));
      if (kind === null) continue;
      kinds.set(name, kind);
      if (kind === 'nvswitch') switches += 1;
      if (kind !== 'gpu' || gpus.length >= MAX_GPUS) continue;
      const driver = await this.#files.link(join(this.#root, name, 'driver'));
      gpus.push({ address, driver: driver === null ? null : basename(driver) });
    }
    this.#kinds = kinds;
    return this.#files.stuck.length > 0 ? null : { gpus, switches };
  }

  /** Where the device hangs on the bus, as its link in the list of devices tells; null where it does not. */
  place(address: string): Promise<string | null> {
    return this.#files.link(join(this.#root, address));
  }

  /** Null when the device does not say, which is asked again. */
  async #kindOf(folder: string): Promise<Kind | null> {
    const vendor = await this.#files.read(join(folder, 'vendor'));
    const type = vendor === NVIDIA ? await this.#files.read(join(folder, 'class')) : '';
    const physical = await this.#files.link(join(folder, 'physfn'));
    this.#files.forget(`${folder}/`);
    if (vendor === null || type === null) return null;
    if (vendor !== NVIDIA || physical !== null) return 'other';
    return GPU_CLASS.test(type) ? 'gpu' : SWITCH_CLASS.test(type) ? 'nvswitch' : 'other';
  }
}

/** Addresses that the kernel module has; null where it has no folder, or a container's own lies over it. */
export async function driverAddresses(files: SmallFiles, proc: string): Promise<string[] | null> {
  const folder = join(proc, 'driver/nvidia');
  // The container toolkit mounts a file system of its own there, which shows the container's own GPUs only.
  if ((await files.device(folder)) !== (await files.device(proc))) return null;
  const names = await files.list(join(folder, 'gpus'));
  return names?.map(canonicalPciAddress).filter((address) => address !== null) ?? null;
}
