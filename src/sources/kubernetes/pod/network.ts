// Network of a pod: the node's own, or interfaces of its own of which the CNI says by an annotation which device each is.
// Form of the annotation: Network Plumbing Working Group, multi-network specification, network status and device information.

import { at, wordAt } from './values.ts';

const STATUS = 'k8s.v1.cni.cncf.io/network-status';
const MOST_LENGTH = 16 * 1024;
const MOST_INTERFACES = 64;
const INTERFACE = /^[^\s/:\p{C}]{1,15}$/u;

/** Interface in the pod → PCI address or RDMA device. */
export type PodNetwork = 'host' | Readonly<Record<string, string>>;

/** Null where nothing says. */
export function networkOf(raw: unknown): PodNetwork | null {
  if (at(raw, 'spec', 'hostNetwork') === true) return 'host';
  const text = at(raw, 'metadata', 'annotations', STATUS);
  if (typeof text !== 'string' || text.length > MOST_LENGTH) return null;
  let listed: unknown;
  try {
    listed = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(listed)) return null;
  const found = listed.slice(0, MOST_INTERFACES).flatMap((network): [string, string][] => {
    const name = wordAt(network, 'interface');
    const device =
      wordAt(network, 'device-info', 'pci', 'pci-address') ?? wordAt(network, 'device-info', 'pci', 'rdma-device');
    return name === null || device === null || !INTERFACE.test(name) ? [] : [[name, device]];
  });
  return found.length === 0 ? null : Object.fromEntries(found);
}
