// Unmanaged port: one of InfiniBand whose link is up and that its subnet manager has not made active, so that no cable is at fault.

import type { Attributes } from './event.ts';
import type { Kind } from './kind.ts';

/** States of the link layer between the two (IBTA, PortInfo:PortState), as ibstat, ibstatus and rdma print them. */
const WAITING: ReadonlySet<unknown> = new Set(['Initializing', 'INIT', 'Armed', 'ARMED']);
const UP: ReadonlySet<unknown> = new Set([undefined, 'LinkUp', 'LINK_UP']);

export function isUnmanagedPort(kind: Kind, { state, physical_state: physical }: Attributes): boolean {
  return kind === 'nic.port_down' && WAITING.has(state) && UP.has(physical);
}
