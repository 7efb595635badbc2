// PCI parts: the accelerators and network cards that the PCI bus shows, whatever drivers say of them.

import { join } from 'node:path';
import type { Part } from '../../identity/parts/part.ts';
import { type PciIdentity, PciWalk } from '../files/pci-walk.ts';
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
  readonly #walk: PciWalk<Kind>;

  constructor(files: SmallFiles, sys: string) {
    this.#files = files;
    this.#walk = new PciWalk(files, sys, kindOf, 'other');
  }

  /** Null where there is no PCI bus, or not all of it answers. */
  async read(): Promise<PciParts | null> {
    const walked = await this.#walk.walk();
    if (walked === null || !walked.whole) return null;
    const of = (kind: Kind) => walked.devices.filter((device) => device.kind === kind).slice(0, MOST);
    const gpus = of('gpu').map(({ address }) => address);
    const nics: Part[] = [];
    for (const { folder, address } of of('nic')) nics.push(await this.#nic(folder, address));
    return this.#files.stuck.length > 0 ? null : { gpus, nics };
  }

  /** Which card it is, only InfiniBand and RoCE show without a right: what an interface is called by may be set by anyone. */
  async #nic(card: string, slot: string): Promise<Part> {
    const folder = join(card, 'infiniband');
    const [device] = (await this.#files.list(folder)) ?? [];
    const path = join(folder, device ?? '', 'node_guid');
    const guid = device === undefined ? null : await this.#files.read(path);
    this.#files.forget(path);
    const serial = guid === null || /^[0:]*$/.test(guid) ? null : guid;
    return { type: 'nic', slot, serial, model: null };
  }
}

function kindOf({ vendor, type, name }: PciIdentity): Kind {
  if (GPU_VENDORS.has(vendor) && GPU_CLASS.test(type)) return 'gpu';
  // The ports of one card are functions of one device.
  return NIC_CLASS.test(type) && vendor !== VIRTIO && name.endsWith('.0') ? 'nic' : 'other';
}
