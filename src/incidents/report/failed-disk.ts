// Failed disk: one of the host's own whose file system became read-only takes the host out of service, and one that the kernel gave up answers no tool.

import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';
import { isStorageHost, RUNS_FILES } from './storage-host.ts';

const LONGEST = 64;

/** Null where nothing says that, or where it is not a disk that is to be looked at. */
export function failedDisk(incident: Incident): Special | null {
  if (incident.action.kind !== 'inspect_hardware') return null;
  const off = diskOffBus(incident);
  if (off !== null)
    return { does: `bring back or replace ${off}, which is gone from its bus`, now: `DRAIN; ${GONE}`, call: HANDS };
  if (!incident.root.kind.startsWith('storage.')) return null;
  const system = readOnlySystem(incident);
  const isGone = incident.events.some(({ attributes: { gone, offline } }) => gone === true || offline === true);
  if (system === null && isStorageHost(incident)) return ofStorage(incident, isGone);
  if (system === null && !isGone) return null;
  if (system !== null && isOfLustre(incident)) return ofLustre(system);
  if (system !== null && isStorageHost(incident)) return ofServer(system, isShutDown(incident));
  const does =
    system === null
      ? 'bring back or replace %, which the kernel gave up'
      : `take @ out of service, whose file system is ${isShutDown(incident) ? 'shut down' : 'read-only'}; then check %`;
  const look = isGone
    ? GONE
    : isShutDown(incident)
      ? 'on @, its health (sudo dmesg -T; sudo smartctl -a /dev/DISK); nothing of it can be read before it is unmounted and mounted again: where its disk is well, do that, and copy off what only it has'
      : 'on @, copy off what only it has, then its health (sudo dmesg -T; sudo smartctl -a /dev/DISK), before it is repaired and mounted again';
  return { does, now: `DRAIN; ${look}`, call: HANDS };
}

/** Its clients wait: no node for jobs, and what it has is the file system's. */
function ofServer(system: string, isShut: boolean): Special {
  return {
    does: `bring back ${system} of @, a file server, which is ${isShut ? 'shut down' : 'read-only'}; then check %`,
    now: `on @, stop what exports ${system}, or move it to its partner where it has one; then its disk (sudo dmesg -T; sudo smartctl -a /dev/DISK); repair and mount it once that is right. Its clients wait, or had I/O errors: tell their users`,
    call: 'who runs the file server @, then who may touch its hardware',
  };
}

/** Its cluster has what is on it elsewhere, or rebuilds it: the host stays up meanwhile. */
function ofStorage({ root, action }: Incident, isGone: boolean): Special | null {
  if (isGone)
    return {
      does: 'replace %, which the kernel gave up, as who runs its file system says',
      now: `on @, ${ON_BUS}. Where its bay allows that, have it reseated or swapped while @ runs: it is not restarted while data are rebuilt, for that takes its other disks away, too`,
      call: RUNS_FILES,
    };
  if (root.kind !== 'storage.io_error' || action.target?.type !== 'disk') return null;
  return {
    does: 'check %, and replace it as who runs its file system says',
    now: 'on @, its health (sudo smartctl -a /dev/DISK) and sudo dmesg -T | tail -n 100. Then see whether what it holds has further copies, or is rebuilt, before it is swapped (Ceph: ceph health detail; ceph osd tree): a daemon on it is not started again',
    call: RUNS_FILES,
  };
}

const ON_BUS =
  'see whether @ still has it on its bus (lsblk; nvme list; lspci -nn | grep -i -E "nvm|raid|sas"): no smartctl asks a disk that the kernel gave up';
const GONE = `${ON_BUS}. Once nothing runs on @, reseat it, or take the power of @ away and give it again; where it stays away, have it swapped`;

/** `disk nvme1 of gx-70 (0000:c4:00.0)`: an NVMe disk is its own PCIe device, whose link is the disk's; null for any other device. */
function diskOffBus({ root, events }: Incident): string | null {
  const { driver } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (root.kind !== 'pcie.link_down' || driver !== 'nvme' || root.component === null) return null;
  const disks = new Set(
    events.flatMap(({ component }) =>
      component?.type === 'disk' && component.id.startsWith('nvme') ? [plain(component.id, LONGEST)] : [],
    ),
  );
  const [name, ...others] = disks;
  const which = name === undefined || others.length > 0 ? 'the NVMe disk' : `disk ${name}`;
  return `${which} of @ (${plain(root.component.id, LONGEST)})`;
}

/** Only servers of Lustre have such file systems: each is a target, and no node for jobs. */
function isOfLustre({ events }: Incident): boolean {
  return events.some(({ attributes }) => attributes.lustre_target === true);
}

function ofLustre(system: string): Special {
  return {
    does: `take the target of Lustre on ${system} of @ out of service, which is read-only; then check %`,
    now: `on @, mount -t lustre shows which target ${system} is; umount it there (where an HA manager runs it, pcs resource disable, or its partner mounts it as damaged as it is): its clients wait. Once the disk or its array is right, e2fsck -f of Lustre's own e2fsprogs, and only then mount it again`,
    call: 'who runs the Lustre file system',
  };
}

/** `sda2`, as far as a line names it; null where none became read-only on a disk of the host. */
export function readOnlySystem({ events, host }: Pick<Incident, 'events' | 'host'>): string | null {
  const found = events.find((event) => event.kind === 'storage.readonly' && isOfHost(event, host));
  if (found === undefined) return null;
  const { device } = found.attributes;
  return typeof device === 'string' ? plain(device, LONGEST) : 'on one of its disks';
}

/** XFS gives errors to those that read as well, until it is mounted again. */
export function isShutDown({ events, host }: Pick<Incident, 'events' | 'host'>): boolean {
  return events.some((event) => event.kind === 'storage.readonly' && event.attributes.what === 'shutdown' && isOfHost(event, host)); // biome-ignore format: one question
}

/** A server's refusal names the server. */
function isOfHost({ component, attributes }: FaultEvent, host: string): boolean {
  if (typeof attributes.server === 'string') return false;
  return component?.type === 'disk' || (component?.type === 'host' && component.id === host);
}
