// Pool disk: one of a ZFS pool is replaced in its pool, which has the data on its others; nothing is copied off it.

import type { Incident } from '../../model/incident.ts';
import { NAME } from './drain.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** Null where no line of zpool says what is wrong with the disk or the pool. */
export function poolDisk({ root, events, action: { target } }: Incident): Special | null {
  if (root.kind !== 'storage.io_error') return null;
  const seen = events.find(({ id }) => id === root.eventId);
  const { tool, pool } = seen?.attributes ?? {};
  if (tool !== 'zpool status' || typeof pool !== 'string' || !NAME.test(pool)) return null;
  const isDisk = target?.type === 'disk' && NAME.test(target.id);
  const disk = isDisk ? target.id : 'DISK';
  return {
    does: isDisk ? `replace % in the pool ${pool}` : `see which disk of the pool ${pool} is missing, and replace it`,
    now: `on @, sudo zpool status -v ${pool}; lsblk shows whether the disk is there at all: reseat it where it is not, then sudo zpool online ${pool} ${disk}. Where that does not help, sudo zpool replace ${pool} ${disk} NEW; the pool has the data while zpool calls it DEGRADED, and none of its other disks is pulled before it is ONLINE`,
    call: HANDS,
  };
}
