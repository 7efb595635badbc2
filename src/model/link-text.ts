// Link text: what tools and switches say of a link of the network or between GPUs besides its name: how wide it is, what it counts, its number, its other end.

import type { Attributes } from './event.ts';
import { shortened } from './shortened.ts';

const LONGEST = 64;
/** Counters that one line has room for. */
const MOST = 3;
const COUNTER = /\b(\w{2,40}?)(?:Counter)? == (\d{1,20})\b/g;
/** "MF0;ibsw-3:MQM9700/U1": how a switch calls itself. */
const SWITCH = /^(?:MF0;)?([A-Za-z0-9][\w.-]{0,63})(?::[\w/.-]{1,48})?$/;
/** What grows while no link is bad. */
const OF_TRAFFIC = /^PortXmit(?:Wait|Data|Discards)$/;
/** The gravest first. */
const GRAVE = ['LinkDowned', 'LinkErrorRecovery'];

/** "2X (Could be 4X), other end ibsw-3 port 18", "LinkDowned 9, SymbolError 65535"; null where nothing of it is known. */
export function linkText({ width, could, counters, peer, peer_port: port }: Attributes): string | null {
  const parts = [widthText(width, could), countersText(counters), endText(peer, port)].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

function widthText(width: unknown, could: unknown): string | null {
  if (typeof width !== 'string') return null;
  return typeof could === 'string' ? `${shortened(width, 8)} (${shortened(could, LONGEST)})` : shortened(width, 8);
}

function countersText(counters: unknown): string | null {
  if (typeof counters !== 'string') return null;
  const all = [...counters.matchAll(COUNTER)].flatMap(([, name = '', count]) =>
    OF_TRAFFIC.test(name) ? [] : [{ name, count }],
  );
  const rank = (name: string): number => (GRAVE.includes(name) ? GRAVE.indexOf(name) : GRAVE.length);
  const some = all.toSorted((a, b) => rank(a.name) - rank(b.name)).slice(0, MOST);
  return some.length === 0 ? null : some.map(({ name, count }) => `${name} ${count}`).join(', ');
}

function endText(peer: unknown, port: unknown): string | null {
  if (typeof peer !== 'string' || peer === '') return null;
  const name = SWITCH.exec(peer)?.[1] ?? shortened(peer, LONGEST);
  return `other end ${name}${typeof port === 'number' ? ` port ${port}` : ''}`;
}

/** "SXid 20034, link 36": what an NVSwitch reports, and of which of its links. */
export function switchText({ sxid, link }: Attributes): string | null {
  if (typeof sxid !== 'number') return null;
  return `SXid ${sxid}${typeof link === 'number' ? `, link ${link}` : ''}`;
}

/** "link 2 down", "links 2, 5 down", "3 of 18 links down". */
export function nvlinkText({
  links_named: named,
  links_down: down,
  links,
  link,
  recoveries,
}: Attributes): string | null {
  if (typeof link === 'number' && typeof recoveries === 'number') return `link ${link}, ${recoveries} recoveries`;
  if (typeof named === 'string' && named !== '')
    return `${named.includes(',') ? 'links' : 'link'} ${shortened(named, LONGEST)} down`;
  return typeof down === 'number' && typeof links === 'number' ? `${down} of ${links} links down` : null;
}

/** "slot 5, 0000:9b:00.0": where the card is of which a BMC reports an error of its host. */
export function cardText({ card_slot: slot, card_address: address }: Attributes): string | null {
  const parts = [
    typeof slot === 'number' ? `slot ${slot}` : null,
    typeof address === 'string' ? shortened(address, LONGEST) : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}
