// etcd's disk: each change of a cluster waits for it to be written, so that a slow one is felt in the whole control plane.

import type { Incident } from '../../model/incident.ts';
import type { Special } from './special-step.ts';

const SLOW: Special = {
  does: 'see why the disk of etcd on % is slow',
  now: 'on @, iostat -x 5 2 and df -h /var/lib/etcd show its disk and what else writes there (backups, logs, images): move that away, or etcd to a disk that only it has; sudo smartctl -a on that disk shows whether it fails; etcdctl endpoint status --cluster -w table shows who leads. Until then the API server times out, and kube-scheduler and kube-controller-manager lose their leases and start again',
  call: 'who runs the control plane',
};

/** Null where the root is not a disk that etcd waits for. */
export function etcdDisk({ root, events }: Incident): Special | null {
  const own = events.find(({ id }) => id === root.eventId);
  return root.kind === 'storage.stall' && own?.attributes.program === 'etcd' ? SLOW : null;
}
