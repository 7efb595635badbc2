// Which disks and network interfaces are real hardware, by what sysfs links them to; virtual ones would count twice.

import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalPciAddress } from '../../../model/component.ts';

/** More than any host has; hundreds of container interfaces are virtual and do not count here. */
const MAX_DEVICES = 64;
/** Names that were looked up, real or not: a host full of containers makes and drops interfaces all day. */
const MAX_NAMES = 4096;
const MAX_NAME = 64;

export interface PhysicalInterface {
  /** Null where the device sits on no PCI bus (virtual machines). */
  readonly pciAddress: string | null;
}

export class PhysicalDevices {
  readonly #sys: string;
  readonly #disks = new Map<string, boolean>();
  readonly #interfaces = new Map<string, PhysicalInterface | null>();

  constructor(sys: string) {
    this.#sys = sys;
  }

  /** Looks every name up again the next time: devices come, go and change names. */
  forget(): void {
    this.#disks.clear();
    this.#interfaces.clear();
  }

  isDisk(name: string): boolean {
    // The kernel writes the "/" of a disk's name ("cciss/c0d0") as "!" in sysfs.
    const file = name.replaceAll('/', '!');
    return remembered(this.#disks, file, false, () => existsSync(join(this.#sys, 'block', file, 'device')));
  }

  /** Null for what is virtual, and for the virtual functions of a card, whose traffic the card counts itself. */
  interface(name: string): PhysicalInterface | null {
    return remembered(this.#interfaces, name, null, () => {
      const device = join(this.#sys, 'class', 'net', name, 'device');
      if (!existsSync(device) || existsSync(join(device, 'physfn'))) return null;
      const addresses = realpathSync(device).split('/').map(canonicalPciAddress);
      return { pciAddress: addresses.findLast((address) => address !== null) ?? null };
    });
  }
}

function remembered<T>(known: Map<string, T>, name: string, none: T, look: () => T): T {
  const before = known.get(name);
  if (before !== undefined) return before;
  if (!isFileName(name) || known.size >= MAX_NAMES) return none;
  let found = none;
  try {
    found = look();
  } catch {} // it went away between two looks
  let real = 0;
  for (const one of known.values()) if (one !== none) real += 1;
  if (found !== none && real >= MAX_DEVICES) found = none;
  known.set(name, found);
  return found;
}

/** A name that cannot lead out of its folder. */
function isFileName(name: string): boolean {
  return name.length <= MAX_NAME && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0');
}
