// Event title: the noun phrase of an event, by its kind and by what of it the kind does not tell: a UPS on battery chose no other feed, an OSD that is down stalls nothing.

import type { Attributes } from './event.ts';
import { type Kind, kindInfo } from './kind.ts';

/** By the reason that its line gives. */
const OF_CEPH: ReadonlyMap<unknown, string> = new Map([
  ['osd down', 'Ceph OSD down'],
  ['placement groups not available', 'Ceph placement groups not available'],
]);

export function eventTitle(kind: Kind, attributes: Attributes): string {
  if (kind === 'power.source_transfer' && attributes.on_battery === true) return 'UPS on battery';
  if (kind === 'storage.stall' && attributes.file_system === 'ceph')
    return OF_CEPH.get(attributes.reason) ?? kindInfo(kind).title;
  return kindInfo(kind).title;
}
