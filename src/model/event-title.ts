// Event title: the noun phrase of an event, by its kind and by what of it the kind does not tell: a UPS on battery chose no other feed.

import type { Attributes } from './event.ts';
import { type Kind, kindInfo } from './kind.ts';

export function eventTitle(kind: Kind, attributes: Attributes): string {
  if (kind === 'power.source_transfer' && attributes.on_battery === true) return 'UPS on battery';
  return kindInfo(kind).title;
}
