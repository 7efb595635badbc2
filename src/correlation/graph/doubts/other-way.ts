// Other way: a card's fault does not stop storage that is reached by another network, or by none.

import type { Facts } from '../../window/facts.ts';
import type { Doubting } from './doubt.ts';

/** A disk on the host's own bus: what is reached over a network is reported of the host and its server. */
const LOCAL = /^(?:nvme|mmcblk)\d/;
const NO_NETWORK = 0.1;
/** LNet names of networks that are spoken by RDMA alone; "tcp" may be any card's. */
const RDMA = /^(?:o2ib|kfi|gni|ptlf)\d*$/;
/** Drivers of cards that hardly anyone puts a file system's RDMA on: hosts whose servers are reached so have other cards for it. */
const ETHERNET: ReadonlySet<unknown> = new Set([
  'bnxt_en', 'bnx2x', 'tg3', 'igb', 'igc', 'ixgbe', 'i40e', 'ice', 'e1000e', 'r8169', 'r8125', 'ena', 'gve', 'atlantic',
]); // biome-ignore format: a list
const OTHER_NETWORK = 0.25;

export const otherWay: Doubting = (cause, effect) => {
  if (!cause.kind.startsWith('nic.')) return null;
  const { component } = effect;
  if (component?.type === 'disk' && LOCAL.test(component.id))
    return { code: 'other_way', factor: NO_NETWORK, why: `${component.id} is in the host, and no network leads to it` };
  const network = networkOf(effect);
  const driver = cause.first.attributes.driver;
  if (network === null || !RDMA.test(network) || !ETHERNET.has(driver)) return null;
  const why = `the file server is reached by ${network}, and ${String(driver)} is for Ethernet`;
  return { code: 'other_way', factor: OTHER_NETWORK, why };
};

function networkOf({ events }: Facts): string | null {
  for (const { attributes } of events) if (typeof attributes.network === 'string') return attributes.network;
  return null;
}
