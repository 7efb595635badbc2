// How the NIC source fares, in one line: cards, ports that are down, counters that count no more.

import { join } from 'node:path';
import type { SourceHealth } from '../source.ts';
import type { NicRound } from './nic-round.ts';

const SHOWN = 4;

/** `away`: cards that were there before. `stuck`: files that do not answer. */
export function nicHealth(
  sys: string,
  cards: readonly NicRound[],
  away: readonly string[],
  stuck: readonly string[],
): SourceHealth {
  const hanging = stuck.map((path) => `FL2601 ${path} does not answer`);
  if (cards.length === 0 && away.length === 0) {
    const none = `FL2602 no network card of a PCI bus under ${join(sys, 'class')}`;
    return {
      source: 'nic',
      status: 'absent',
      detail: [none, ...hanging].join('; '),
      remedy: "in a container, use the host's network and mount its /sys; a virtual machine may have no such card",
    };
  }
  const management = cards.filter(({ role }) => role === 'management').length;
  const fabric = cards.length - management;
  const down = cards.filter(({ role }) => role === 'fabric').flatMap((card) => card.down);
  const full = cards.filter((card) => card.full.length > 0).map(({ nic, full: files }) => `${nic.address} ${files[0]}`);
  const parts = [
    `${fabric} card${fabric === 1 ? '' : 's'} of the fabric, ${management} for management`,
    ...(down.length > 0 ? [`down: ${some(down)}`] : []),
    ...(away.length > 0 ? [`gone: ${some(away)}`] : []),
    ...(full.length > 0 ? [`FL2603 at the end of its range: ${some(full)}; perfquery -R sets it to 0`] : []),
    ...hanging,
  ];
  return { source: 'nic', status: 'works', detail: parts.join('; '), remedy: null };
}

function some(list: readonly string[]): string {
  const more = list.length - SHOWN;
  return list.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
