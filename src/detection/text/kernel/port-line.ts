// Ports of network cards as their drivers report them in the kernel log: link down, link up.

import { canonicalPciAddress } from '../../../model/component.ts';
import { evidenceText } from '../evidence.ts';
import { ADDRESS, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

export interface StatefulFinding extends Finding {
  readonly state: 'onset' | 'clear';
}

/** Drivers of cards that carry collectives: "mlx5_core 0000:86:00.0 ens6f0np0: Link down", "bnxt_en … ens1: NIC Link is Up, …". */
const PORT = new RegExp(
  `^(mlx5_core|mlx4_en|bnxt_en|ice) (${ADDRESS}):? ([^\\s:/]{1,32}): (?:NIC )?Link (?:is )?([Uu]p|[Dd]own)\\b`,
);

export function portLine(text: string, { host }: KernelContext): StatefulFinding | null {
  const [, driver = '', written = '', port = '', word = ''] = PORT.exec(text) ?? [];
  const id = canonicalPciAddress(written);
  if (id === null) return null;
  return {
    kind: 'nic.port_down',
    // Other lines and readings name the card by this interface alone.
    component: { type: 'nic', id, host, aliases: [evidenceText(port)] },
    state: word.toLowerCase() === 'up' ? 'clear' : 'onset',
    attributes: { driver, interface: evidenceText(port) },
  };
}
