// What of a topology cannot be, though each link by itself can: one outlet in two supplies, one supply in two outlets or on two feeds.

import { type Component, componentText } from '../model/component.ts';
import type { Findings } from './findings.ts';
import type { WrittenLink } from './topology-cycles.ts';

const MOST = 20;

/** FL1114 where links contradict each other; said as a warning: a splitter or a supply with two inlets may be there all the same. */
export function findContradictions(links: readonly WrittenLink[], findings: Pick<Findings, 'warning'>): void {
  const suppliesOf = new Map<string, WrittenLink>();
  const feedOf = new Map<string, WrittenLink>();
  let reported = 0;
  for (const link of links) {
    if (link.relation !== 'feeds' || link.to.type !== 'psu') continue;
    const [from, to] = [componentText(link.from), componentText(link.to)];
    const other = suppliesOf.get(from);
    const feed = feedOf.get(to);
    const text =
      link.from.type === 'pdu_outlet' && other !== undefined && componentText(other.to) !== to
        ? `has ${from} feed ${to}, and ${placeOf(other)} has it feed ${componentText(other.to)}: an outlet takes one plug`
        : feed !== undefined && (deviceOf(feed.from) !== deviceOf(link.from) || areOutlets(feed.from, link.from))
          ? `has ${from} feed ${to}, and ${placeOf(feed)} has ${componentText(feed.from)} feed it: a supply has one inlet`
          : null;
    if (text !== null && reported++ < MOST)
      findings.warning('FL1114', link.pointer, `${link.where ?? ''}${text}. Remove the one that is wrong`);
    if (other === undefined) suppliesOf.set(from, link);
    if (feed === undefined) feedOf.set(to, link);
  }
}

function placeOf({ where, pointer }: WrittenLink): string {
  return where === undefined ? `topology.feeds[${pointer.split('/').at(-1)}]` : where.replace(/^names |, which $/g, '');
}

/** Two of them, which a supply with one inlet cannot be plugged into; a phase and an outlet may be one way of power. */
function areOutlets(one: Component, other: Component): boolean {
  return one.type === 'pdu_outlet' && other.type === 'pdu_outlet' && one.id !== other.id;
}

/** The PDU or UPS that a part is of; other things by themselves. */
function deviceOf(component: Component): string {
  return component.type.startsWith('pdu_') ? (component.id.split('/')[0] ?? '') : component.id;
}
