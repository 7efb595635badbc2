// PCI walk: which devices the bus shows, and what kind each is; asked once for as long as an address is listed.

import { join } from 'node:path';
import { canonicalPciAddress } from '../../model/component.ts';
import type { SmallFiles } from './small-files.ts';

/** What the kernel gives of a device: `0x10de`, `0x030200` (PCI Code and ID Assignment Specification), its name in sysfs. */
export interface PciIdentity {
  readonly vendor: string;
  readonly type: string;
  readonly name: string;
}

export interface PciDevice<K> {
  readonly address: string;
  /** In sysfs. */
  readonly folder: string;
  readonly kind: K;
}

export interface Walked<K> {
  readonly devices: readonly PciDevice<K>[];
  /** False where a device did not say what it is; it is asked again the next time. */
  readonly whole: boolean;
}

export class PciWalk<K extends string> {
  readonly #files: SmallFiles;
  readonly #kindOf: (identity: PciIdentity) => K;
  readonly #other: K;
  #kinds = new Map<string, K>();
  readonly root: string;

  /** `other`: the kind of virtual functions, which are a part of another device. */
  constructor(files: SmallFiles, sys: string, kindOf: (identity: PciIdentity) => K, other: K) {
    this.#files = files;
    this.root = join(sys, 'bus/pci/devices');
    this.#kindOf = kindOf;
    this.#other = other;
  }

  /** Null where there is no PCI bus. */
  async walk(): Promise<Walked<K> | null> {
    const names = await this.#files.list(this.root);
    if (names === null) return null;
    const kinds = new Map<string, K>();
    const devices: PciDevice<K>[] = [];
    let whole = true;
    for (const name of names) {
      const address = canonicalPciAddress(name);
      if (address === null) continue;
      const kind = this.#kinds.get(name) ?? (await this.#ask(name));
      if (kind === null) {
        whole = false;
        continue;
      }
      kinds.set(name, kind);
      devices.push({ address, folder: join(this.root, name), kind });
    }
    this.#kinds = kinds;
    return { devices, whole };
  }

  async #ask(name: string): Promise<K | null> {
    const folder = join(this.root, name);
    const vendor = await this.#files.read(join(folder, 'vendor'));
    const type = await this.#files.read(join(folder, 'class'));
    const physical = await this.#files.link(join(folder, 'physfn'));
    this.#files.forget(`${folder}/`);
    if (vendor === null || type === null) return null;
    return physical === null ? this.#kindOf({ vendor, type, name }) : this.#other;
  }
}
