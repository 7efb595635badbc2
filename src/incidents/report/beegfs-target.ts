// BeeGFS target: what to do where a server of BeeGFS says that one of its targets is full, fails or is offline: nothing is deleted on it.

import type { Incident } from '../../model/incident.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

const CALL = 'who runs the file system';

/** Null of anything that no server of BeeGFS says. */
export function beegfsTarget({ root, events }: Incident): Special | null {
  const own = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (!root.kind.startsWith('storage.') || own.file_system !== 'beegfs' || own.on_server !== true) return null;
  const id = events.map(({ attributes }) => attributes.target).find((target) => typeof target === 'string');
  const target = typeof id === 'string' && /^\d{1,6}$/.test(id) ? id : null;
  const name = target === null ? 'a target of BeeGFS on %' : `BeeGFS target ${target} on %`;
  if (root.kind === 'storage.full' || root.kind === 'storage.filling')
    return {
      does: `get space on ${name}`,
      now: `on a client, beegfs-ctl --listtargets --nodetype=storage --spaceinfo --pools (8: beegfs target list --capacity) shows which are full; move files off it (beegfs-ctl --migrate --targetid=${target ?? 'ID'} MOUNT), or ask the owners of what is largest what may go; on @ itself nothing is to be deleted`,
      call: CALL,
    };
  if (root.kind === 'storage.io_error')
    return {
      does: `check the disks of ${name}`,
      now: `on @, sudo dmesg -T | tail -n 50 and the state of its RAID say which disk failed; beegfs-ctl --listtargets --nodetype=storage --state whether its mirror serves instead. Before anything is repaired, ask ${CALL}`,
      call: HANDS,
    };
  return {
    does: `see why ${name.replace(' on %', '')} is not online`,
    now: 'beegfs-ctl --listtargets --nodetype=storage --state --longnodes (8: beegfs target list --state) names its server; there, systemctl status beegfs-storage, sudo dmesg -T | tail -n 50 and df -h say whether the daemon, the host or its disks failed',
    call: CALL,
  };
}
