// Host list: the hosts that an incident of several is on, as a sentence names them.

import type { FaultEvent } from '../../model/event.ts';
import { plain } from '../../model/plain.ts';

/** More are counted. */
const NAMED = 4;

export function hostOf({ component }: FaultEvent): string | undefined {
  return component?.host ?? (component?.type === 'host' ? component.id : undefined);
}

/** `a, b and c`, `a, b, c, d and 3 more hosts`. */
export function listOf(hosts: readonly string[]): string {
  const names = hosts.slice(0, NAMED).map((host) => plain(host, 64));
  const rest = hosts.length - names.length;
  if (rest > 0) return `${names.join(', ')} and ${rest} more host${rest === 1 ? '' : 's'}`;
  return names.length === 1 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
