// Ports of network cards as their drivers report them in the kernel log: link down, link up.

import { canonicalPciAddress } from '../../../model/component.ts';
import type { TextRecord } from '../../../model/record.ts';
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

/** Set on a record by its source where the port that it names was never up since its driver made it. */
export const NEVER_UP = 'port_never_up';
/** Far more than a host has. */
const MOST_PORTS = 256;

/** The name of the port that a line reports to be down; null for any other line. */
export function portDown(text: string): string | null {
  if (!text.includes('ink ')) return null; // nearly every line
  const [, , , port = null, word = ''] = PORT.exec(text) ?? [];
  return word.toLowerCase() === 'down' ? port : null;
}

/**
 * What a line reports of a port, where it changes what was known: drivers print "Link down" as well of a port that nothing is
 * plugged into, or that is not up yet, when they start it. Such a port lost nothing. Which one that is only the card's source knows:
 * a log of a boot may have lost the line of a port that came up, and a lost link must not stay unsaid.
 */
export function portChange(record: TextRecord, text: string, context: KernelContext): StatefulFinding | null {
  const found = portLine(text, context);
  const id = found?.component?.id;
  if (found === null || id === undefined) return null;
  const neverUp = record.attributes[NEVER_UP] === true && !context.portsUp.has(id);
  if (found.state === 'clear' && context.portsUp.size < MOST_PORTS) context.portsUp.add(id);
  return neverUp ? { ...found, severity: 'info', attributes: { ...found.attributes, never_up: true } } : found;
}

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
