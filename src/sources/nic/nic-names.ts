// NIC names: what else the network cards of this host are called — verbs devices, virtual functions, bonds and what lies on them.

import { basename, join } from 'node:path';
import type { NicNames } from '../../identity/host-nics.ts';
import { type Component, canonicalPciAddress } from '../../model/component.ts';
import type { SmallFiles } from '../files/small-files.ts';
import type { Names, Nic } from './find-nics.ts';

const MAX_FUNCTIONS = 512;
const MAX_VERBS = 576;
/** A VLAN on a bridge on a bond is three deep. */
const MAX_DEPTH = 4;
const LOWER = 'lower_';
/** Ends of what pods and virtual machines have: there are hundreds, and none lies on a card. */
const INNER = /^(?:lo$|veth|cali|lxc|tap|cni|flannel|docker|virbr|dummy|tunl|ifb)/;
const MAX_STACKED = 64;

interface Host {
  readonly sys: string;
  readonly names: Names;
  readonly nics: ReadonlyMap<string, Nic>;
  readonly componentOf: (nic: Nic) => Component;
}

/** Null while a file does not answer: what is known stays. */
export async function nicNames(files: SmallFiles, { sys, names, nics, componentOf }: Host): Promise<NicNames | null> {
  const functions = new Map<string, string>();
  for (const [address, { device }] of nics) {
    for (const name of (await files.list(device)) ?? []) {
      if (!/^virtfn\d{1,4}$/.test(name) || functions.size >= MAX_FUNCTIONS) continue;
      const target = await files.link(join(device, name));
      const virtual = canonicalPciAddress(basename(target ?? ''));
      if (virtual !== null) functions.set(virtual, address);
    }
  }
  const cardOf = async (folder: string): Promise<string | null> => {
    const parts = (await files.real(join(folder, 'device')))?.split('/') ?? [];
    const address = parts.map(canonicalPciAddress).findLast((each) => each !== null) ?? '';
    return functions.get(address) ?? (nics.has(address) ? address : null);
  };
  const rdma = new Map<string, string>();
  for (const name of names.rdma) {
    const card = await cardOf(join(sys, 'class/infiniband', name));
    if (card !== null) rdma.set(name, card);
  }
  const facts = {
    cards: [...nics.values()].map(componentOf),
    rdma,
    verbs: await verbsOf(files, sys, rdma),
    interfaces: await interfacesOf(files, sys, names, cardOf),
    functions,
  };
  return files.stuck.length > 0 ? null : facts;
}

async function verbsOf(
  files: SmallFiles,
  sys: string,
  rdma: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const verbs = new Map<string, string>();
  const folder = join(sys, 'class/infiniband_verbs');
  const devices = ((await files.list(folder)) ?? []).filter((name) => /^uverbs\d{1,4}$/.test(name));
  for (const name of devices.slice(0, MAX_VERBS)) {
    const card = rdma.get((await files.read(join(folder, name, 'ibdev')))?.trim() ?? '');
    files.forget(join(folder, name, '/')); // asked hardly ever: it need not stay open
    if (card !== undefined) verbs.set(name, card);
  }
  return verbs;
}

/** By its device; what has none by what it lies on. */
async function interfacesOf(
  files: SmallFiles,
  sys: string,
  names: Names,
  cardOf: (folder: string) => Promise<string | null>,
): Promise<Map<string, readonly string[]>> {
  const known = new Map<string, readonly string[]>();
  let stacked = 0;
  const cardsOf = async (name: string, depth: number): Promise<readonly string[]> => {
    const before = known.get(name);
    if (before !== undefined || depth > MAX_DEPTH) return before ?? [];
    const folder = join(sys, 'class/net', name);
    const own = await cardOf(folder);
    if (own !== null) return [own];
    if (INNER.test(name) || stacked >= MAX_STACKED) return [];
    stacked += 1;
    const below = ((await files.list(folder)) ?? []).filter((each) => each.startsWith(LOWER));
    const cards: string[] = [];
    for (const each of below) cards.push(...(await cardsOf(each.slice(LOWER.length), depth + 1)));
    return [...new Set(cards)].sort();
  };
  for (const name of names.interfaces) {
    const cards = await cardsOf(name, 0);
    if (cards.length > 0) known.set(name, cards);
  }
  return known;
}
