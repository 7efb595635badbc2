// Waiting clients: hosts that wait for the file server that an incident is about, as their own logs say.

import type { FaultEvent } from '../../model/event.ts';
import { plain } from '../../model/plain.ts';

const NAMED = 4;
const LONGEST = 64;

/** `gx-44, gx-45 and 3 more wait for it`; null where none does. */
export function waitingText(events: readonly FaultEvent[]): string | null {
  const hosts = [
    ...new Set(
      events.flatMap(({ attributes, component }) => (attributes.client_log === true ? (component?.id ?? []) : [])),
    ),
  ].map((host) => plain(host, LONGEST));
  if (hosts.length === 0) return null;
  const more = hosts.length > NAMED ? ` and ${hosts.length - NAMED} more` : '';
  return `${hosts.slice(0, NAMED).join(', ')}${more} ${hosts.length === 1 ? 'waits' : 'wait'} for it`;
}
