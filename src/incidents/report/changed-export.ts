// Changed export: a file server that gives a client other files or no locks any more; no disk of the client is in question.

import { nameText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import type { Special } from './special-step.ts';

const LONGEST = 64;

/** Null where the root is another one than such a server's. */
export function changedExport({ root, events, host }: Pick<Incident, 'root' | 'events' | 'host'>): Special | null {
  if (root.kind !== 'storage.io_error') return null;
  const { server, file_system: system } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (system !== 'nfs' || typeof server !== 'string') return null;
  const name = plain(server, LONGEST);
  const client = root.component === null ? plain(host, LONGEST) : nameText(root.component);
  return {
    does: `look after file server ${name}: what changed behind its export, such as a failover or a restored file system`,
    now: `on ${client}, grep ${name} /proc/mounts lists what is mounted from it; list what runs on those (sudo lsof +f -- DIR), as its reads and writes may have failed since TIME; once ${name} is right, sudo umount -l DIR and mount it again`,
    call: `who runs ${name}, then who runs jobs on ${client}`,
  };
}
