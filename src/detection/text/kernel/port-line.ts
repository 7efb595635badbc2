// Ports of network cards as their drivers tell of them in the kernel log: link down, link up.

import { canonicalPciAddress } from '../../../model/component.ts';
import type { KernelContext } from './context.ts';
import type { Finding } from './driver-line.ts';

export interface StatefulFinding extends Finding {
  readonly state: 'onset' | 'clear';
}

/** Drivers of cards that carry collectives: "mlx5_core 0000:86:00.0 ens6f0np0: Link down", "bnxt_en … ens1: NIC Link is Up, …". */
const PORT =
  /(?:^|\s)(mlx5_core|mlx4_en|bnxt_en|ice) ([0-9a-fA-F:.]{7,20}):? (\S{1,32}): (?:NIC )?Link (?:is )?([Uu]p|[Dd]own)\b/;
const MAX_HEAD = 240;

export function portLine(text: string, context: KernelContext): StatefulFinding | null {
  const found = PORT.exec(text.slice(0, MAX_HEAD));
  if (found === null || (context.anchored && found.index !== 0)) return null;
  const [, driver = '', written = '', port = '', word = ''] = found;
  const id = canonicalPciAddress(written);
  if (id === null) return null;
  return {
    kind: 'nic.port_down',
    component: { type: 'nic', id, host: context.host },
    state: word.toLowerCase() === 'up' ? 'clear' : 'onset',
    attributes: { driver, interface: port },
  };
}
