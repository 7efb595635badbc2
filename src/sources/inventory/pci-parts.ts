// PCI parts: the accelerators and network cards that the PCI bus shows, whatever drivers say of them.

import { join } from 'node:path';
import type { Part } from '../../identity/parts/part.ts';
import { canonicalPciAddress } from '../../model/component.ts';
import type { SmallFiles } from '../files/small-files.ts';

/** NVIDIA, AMD: their display controllers and accelerators are GPUs; what a board shows its console on is another maker's. */
const GPU_VENDORS: ReadonlySet<string> = new Set(['0x10de', '0x1002']);
/** VGA, 3D and other display controllers; processing accelerators (PCI Code and ID Assignment Specification). */
const GPU_CLASS = /^0x(?:03|12)[0-9a-f]{4}$/;
/** Ethernet and InfiniBand. */
const NIC_CLASS = /^0x02(?:00|07)[0-9a-f]{2}$/;
/** What a hypervisor makes up is not a part. */
const VIRTIO = '0x1af4';
const MOST = 256;

type Kind = 'gpu' | 'nic' | 'other';

export interface PciParts {
  readonly gpus: readonly string[];
  readonly nics: readonly Part[];
}

export class PciReader {
  readonly #files: SmallFiles;
  readonly #root: string;
  /** A device at an address stays what it is for as long as the address is listed. */
  #kinds = new Map<string, Kind>();

  constructor(files: SmallFiles, sys: string) {
    this.#files = files;
    this.#root = join(sys, 'bus/pci/devices');
  }

  /** Null where there is no PCI bus, or not all of it answers. */
  async read(): Promise<PciParts | null> {
    const names = await this.#files.list(this.#root);
    if (names === null) return null;
    const kinds = new Map<string, Kind>();
    const gpus: string[] = [];
    const nics: Part[] = [];
    for (const name of names) {
      const address = canonicalPciAddress(name);
      if (address === null) continue;
      const kind = this.#kinds.get(name) ?? (await this.#kindOf(name));
      if (kind === null) return null;
      kinds.set(name, kind);
      if (kind === 'gpu' && gpus.length < MOST) gpus.push(address);
      if (kind === 'nic' && nics.length < MOST) nics.push(await this.#nic(name, address));
    }
    this.#kinds = kinds;
    return this.#files.stuck.length > 0 ? null : { gpus, nics };
  }

  async #kindOf(name: string): Promise<Kind | null> {
    const folder = join(this.#root, name);
    const vendor = await this.#files.read(join(folder, 'vendor'));
    const type = await this.#files.read(join(folder, 'class'));
    const physical = await this.#files.link(join(folder, 'physfn'));
    this.#files.forget(`${folder}/`);
    if (vendor === null || type === null) return null;
    if (physical !== null) return 'other';
    if (GPU_VENDORS.has(vendor) && GPU_CLASS.test(type)) return 'gpu';
    // The ports of one card are functions of one device.
    return NIC_CLASS.test(type) && vendor !== VIRTIO && name.endsWith('.0') ? 'nic' : 'other';
  }

  /** Which card it is, only InfiniBand and RoCE show without a right: what an interface is called by may be set by anyone. */
  async #nic(name: string, slot: string): Promise<Part> {
    const folder = join(this.#root, name, 'infiniband');
    const [device] = (await this.#files.list(folder)) ?? [];
    const path = join(folder, device ?? '', 'node_guid');
    const guid = device === undefined ? null : await this.#files.read(path);
    this.#files.forget(path);
    const serial = guid === null || /^[0:]*$/.test(guid) ? null : guid;
    return { type: 'nic', slot, serial, model: null };
  }
}
