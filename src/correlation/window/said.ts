// Said: what is known from saved logs alone, in the form of a daemon's, where nothing shows that the daemon wrote it.

import type { Facts } from './facts.ts';

export function isSaid({ events }: Pick<Facts, 'events'>): boolean {
  return (
    events.length > 0 && events.every(({ attributes, trust }) => trust !== 'tenant' && attributes.as_logged === true)
  );
}
