// Unmanaged port: what helps a port of InfiniBand whose link is up, which waits for the subnet manager and not for hands.

import type { Incident } from '../../model/incident.ts';
import { isUnmanagedPort } from '../../model/unmanaged-port.ts';
import type { Special } from './special-step.ts';

const WAITS: Special = {
  does: 'find out why the subnet manager does not make % active; the link itself is up',
  now: 'DRAIN; on @, sudo sminfo: where no subnet manager answers, start it where it runs (UFM, a switch, systemctl status opensm on its host); where one does, see its log for this port (GUID: ibstat)',
  call: 'who runs the InfiniBand fabric',
};

const ALL_WAIT: Special = {
  ...WAITS,
  does: 'find out why the subnet manager makes no port of @ active; their links are up',
};

/** Null where the port has no link, or where nothing says in which state it is. */
export function unmanagedPort({ root, events, action: { target } }: Incident): Special | null {
  const seen = events.find(({ id }) => id === root.eventId);
  if (seen === undefined || !isUnmanagedPort(root.kind, seen.attributes)) return null;
  return target === null ? ALL_WAIT : WAITS;
}
