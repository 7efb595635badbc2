// Where a Location header leads, as long as that is the same service: our token is for no other.

import { linkAt } from '../decode/json.ts';

const MOST = 1024;

/** The path; null where it leads elsewhere, or to no place. `base`: URL of the service. */
export function samePlace(base: string, location: string | undefined): string | null {
  if (location === undefined || location.length > MOST) return null;
  const service = new URL(base);
  const url = URL.parse(location, service.href);
  return url !== null && url.host === service.host && url.protocol === service.protocol
    ? linkAt(url.pathname + url.search)
    : null;
}
