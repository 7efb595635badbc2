// Finds the network cards of the host: PCI functions with an RDMA device or a network interface, virtual ones left out.

import { join } from 'node:path';
import { canonicalPciAddress } from '../../model/component.ts';
import type { SmallFiles } from '../files/small-files.ts';

/** More than any host has. */
const MAX_NICS = 64;
const MAX_PORTS = 8;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/;

export interface Nic {
  readonly address: string;
  /** Its PCI function's folder, with every link followed. */
  readonly device: string;
  /** Folders of its RDMA ports, "…/ports/1". */
  readonly ports: readonly string[];
  readonly rdma: string | null;
  /** Folders of its network interfaces. */
  readonly interfaces: readonly { readonly name: string; readonly folder: string }[];
}

export interface Names {
  readonly rdma: readonly string[];
  readonly interfaces: readonly string[];
  /** The two folders of the classes with all their names, null for one that is not there. */
  readonly folders: readonly { readonly path: string; readonly names: readonly string[] | null }[];
}

/** Names of RDMA devices and interfaces; null when sysfs shows neither class, which says nothing about the cards. */
export async function listNames(files: SmallFiles, sys: string): Promise<Names | null> {
  const [cards, net] = [join(sys, 'class/infiniband'), join(sys, 'class/net')];
  const rdma = await files.list(cards);
  const interfaces = await files.list(net);
  if (rdma === null && interfaces === null) return null;
  const folders = [
    { path: cards, names: rdma },
    { path: net, names: interfaces },
  ];
  return { rdma: (rdma ?? []).filter(named), interfaces: (interfaces ?? []).filter(named), folders };
}

/** By address. What answers nothing in time is left out: it is missing until it answers. */
export async function findNics(files: SmallFiles, sys: string, names: Names): Promise<Map<string, Nic>> {
  const found = new Map<string, Nic>();
  const at = async (folder: string): Promise<Nic | null> => {
    const device = await functionOf(files, folder);
    if (device === null) return null;
    const known = found.get(device.address);
    if (known === undefined && found.size >= MAX_NICS) return null;
    return known ?? { ...device, ports: [], rdma: null, interfaces: [] };
  };
  for (const name of names.rdma) {
    const folder = join(sys, 'class/infiniband', name);
    const nic = await at(folder);
    if (nic === null) continue;
    const numbers = (await files.list(join(folder, 'ports'))) ?? [];
    const ports = numbers.filter((one) => /^\d{1,3}$/.test(one)).slice(0, MAX_PORTS);
    found.set(nic.address, { ...nic, rdma: name, ports: ports.map((one) => join(folder, 'ports', one)) });
  }
  for (const name of names.interfaces) {
    const folder = join(sys, 'class/net', name);
    const nic = await at(folder);
    if (nic === null || nic.interfaces.length >= MAX_PORTS) continue;
    found.set(nic.address, { ...nic, interfaces: [...nic.interfaces, { name, folder }] });
  }
  return found;
}

/** Null for what has no device, sits on no PCI bus, or is a virtual function of a card of this host. */
async function functionOf(files: SmallFiles, folder: string): Promise<{ address: string; device: string } | null> {
  const real = await files.real(join(folder, 'device'));
  if (real === null) return null;
  const parts = real.split('/');
  // virtio and others hang a bus of their own under the PCI function.
  const index = parts.findLastIndex((part) => canonicalPciAddress(part) !== null);
  const address = canonicalPciAddress(parts[index] ?? '');
  if (address === null) return null;
  const device = parts.slice(0, index + 1).join('/');
  if ((await files.link(join(device, 'physfn'))) !== null) return null;
  return { address, device };
}

function named(name: string): boolean {
  return NAME.test(name);
}
