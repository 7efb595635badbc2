// Ceph: what to do about a check of a cluster's health that is not a stall: daemons that are down, data that nothing serves.

import type { Incident } from '../../model/incident.ts';
import type { Special } from './special-step.ts';

const OSD_DOWN: Special = {
  does: 'find out why the OSD is down, and start it again',
  now: 'on @, ceph osd tree down and ceph health detail name it and its host; there, systemctl status ceph-osd@N, journalctl -u ceph-osd@N and sudo dmesg -T say whether the daemon, its disk or the host failed',
  call: 'who runs the Ceph cluster',
};
const NOT_AVAILABLE: Special = {
  does: 'bring back the OSDs that serve the placement groups that are not available',
  now: 'on @, ceph health detail names the groups, ceph pg dump_stuck inactive their OSDs, ceph osd tree down those that are down: start these again; reads and writes of the groups wait until then',
  call: 'who runs the Ceph cluster',
};
const BY_REASON: ReadonlyMap<unknown, Special> = new Map([
  ['osd down', OSD_DOWN],
  ['placement groups not available', NOT_AVAILABLE],
]);

/** Null where the root is not such a check. */
export function cephHealth({ root, events }: Incident): Special | null {
  const { file_system: system, reason } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  return root.kind === 'storage.stall' && system === 'ceph' ? (BY_REASON.get(reason) ?? null) : null;
}
