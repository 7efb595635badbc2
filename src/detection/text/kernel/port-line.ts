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
  const found = portLine(text, context) ?? anyPort(text, context);
  const id = found?.component?.id;
  if (found === null || id === undefined) return null;
  const neverUp = record.attributes[NEVER_UP] === true && !context.portsUp.has(id);
  if (found.state === 'clear' && context.portsUp.size < MOST_PORTS) context.portsUp.add(id);
  return neverUp ? { ...found, severity: 'info', attributes: { ...found.attributes, never_up: true } } : found;
}

/** As the driver of a line by the RDMA core. */
const FABRIC = 'infiniband';
/** A bond says of its member what the member's own driver just said. */
const REPEATS_MS = 5000;

/** Whether the line is a bond's of a port whose driver reported the same before; remembers what drivers report. */
export function isRepeatedByBond(
  { observedMs }: TextRecord,
  { attributes = {}, state }: StatefulFinding,
  { portsSaid }: KernelContext,
): boolean {
  const { driver, interface: port } = attributes;
  if (typeof port !== 'string') return false;
  // Of Ethernet cards the RDMA core says under a name for it what the driver said of the interface.
  if (driver === FABRIC)
    return [...portsSaid.values()].some((said) => said.state === state && Math.abs(observedMs - said.ms) <= REPEATS_MS);
  const said = portsSaid.get(port);
  if (driver === 'bonding')
    return said !== undefined && said.state === state && Math.abs(observedMs - said.ms) <= REPEATS_MS;
  if (said !== undefined || portsSaid.size < MOST_PORTS) portsSaid.set(port, { state, ms: observedMs });
  return false;
}

/**
 * Of every other driver, and of PHYs: "e1000e 0000:00:1f.6 eno1: NIC Link is Down", "mt7530-mdio mdio-bus:1f lan: Link is Down"; of a
 * switch behind the interface "mtk_soc_eth 1e100000.ethernet eth0: port 2 link down".
 */
const ANY_PORT = new RegExp(
  `^(?!ata\\d)([\\w-]{2,32})(?::| (?:(${ADDRESS})|[\\w.:-]{3,48}):?) (?:\\[\\w{1,64}:\\d{1,6}\\(([^()\\s]{1,15})\\)\\] ?|(?!NIC )([^\\s:/()]{1,15}):? )?(?:(?:[\\w-]{2,16}: )?(?!NIC )([^\\s:/()]{1,15}) )?(?:NIC )?(?:port (\\d{1,3}):? )?[Ll]ink (?:is )?([Uu]p|[Dd]own)\\b`,
);
/** Of these "down" is said by the watchdog alone, where the link was up before (igb_main.c, ixgbe_main.c, their virtual functions). */
const NEVER_AT_START: ReadonlySet<string> = new Set(['igb', 'ixgbe']);
/** drivers/net/bonding/bond_main.c, with "bonding: " before all until Linux 3.13, and the member before the words since 5.5. */
const BOND =
  /^(?:bonding: )?([\w.-]{1,15}): (?:\(slave ([^()\s]{1,15})\): )?(?:Warning: )?link status (?:definitely )?(up|down)(?: again)?(?: for (?:active |idle |backup )?interface(?: ([^\s,]{1,15}))?)?(?:,|$| after)/;
const NO_MEMBER = /^(?:bonding: )?([\w.-]{1,15}): (?:Warning: )?now running without any active interface ?!\s*$/;
const MEMBER_AGAIN = /^(?:bonding: )?([\w.-]{1,15}): (?:first )?active interface up!\s*$/;

/** A bond tells of its members only what they lost; of the bond itself, that none is left. */
function bondLine(text: string, host: string): StatefulFinding | null {
  const [, bond = '', named, word, other] = BOND.exec(text) ?? [];
  const member = named ?? other;
  if (word !== undefined && member !== undefined)
    return linkFinding(member, word, host, { driver: 'bonding', bond: evidenceText(bond) });
  const alone = NO_MEMBER.exec(text)?.[1];
  if (alone !== undefined) return linkFinding(alone, 'down', host, { driver: 'bonding' });
  const again = MEMBER_AGAIN.exec(text)?.[1];
  return again === undefined ? null : linkFinding(again, 'up', host, { driver: 'bonding' });
}

/**
 * Ports of other drivers carry the host's management as a rule, and every driver says "down" of a port that it starts: only one that was
 * seen before has lost something.
 */
function anyPort(text: string, { host, linksSeen }: KernelContext): StatefulFinding | null {
  const [, driver = '', written, bracketed, before, name, number, word] = ANY_PORT.exec(text) ?? [];
  const own = name ?? before ?? bracketed;
  if (word === undefined || own === undefined) return null;
  const port = number === undefined ? own : `${own} port ${number}`;
  const up = word.toLowerCase() === 'up';
  const known = linksSeen.has(port);
  if (linksSeen.size < MOST_PORTS) linksSeen.add(port);
  if (!known && !(NEVER_AT_START.has(driver) && !up)) return null;
  const id = written === undefined ? null : canonicalPciAddress(written);
  const found = linkFinding(port, up ? 'up' : 'down', host, { driver }, id);
  return known ? found : { ...found, attributes: { ...found.attributes, first_heard: true } };
}

function linkFinding(
  port: string,
  word: string,
  host: string,
  attributes: Readonly<Record<string, string>>,
  id: string | null = null,
): StatefulFinding {
  const name = evidenceText(port);
  return {
    kind: 'nic.port_down',
    component: { type: 'nic', id: id ?? name, host, ...(id === null ? {} : { aliases: [name] }) },
    state: word === 'up' ? 'clear' : 'onset',
    attributes: { ...attributes, interface: name },
  };
}

export function portLine(text: string, context: KernelContext): StatefulFinding | null {
  return portOfCard(text, context) ?? portOfFabric(text, context) ?? bondLine(text, context.host);
}

/** "infiniband mlx5_5: Port: 1 Link DOWN", which drivers/infiniband/core/cache.c prints of a change alone; between both a port is INIT, then ARMED. */
const FABRIC_PORT = /^infiniband ([\w-]{2,32}): Port: (\d{1,3}) Link (DOWN|ACTIVE)\s*$/;

function portOfFabric(text: string, { host }: KernelContext): StatefulFinding | null {
  const [, card = '', number = '', word] = FABRIC_PORT.exec(text) ?? [];
  if (word === undefined) return null;
  const port = number === '1' ? card : `${card} port ${number}`;
  return linkFinding(port, word === 'ACTIVE' ? 'up' : 'down', host, { driver: FABRIC });
}

function portOfCard(text: string, { host }: KernelContext): StatefulFinding | null {
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
