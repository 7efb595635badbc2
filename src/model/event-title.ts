// Event title: the noun phrase of an event, by its kind and by what of it the kind does not tell: a UPS on battery chose no other feed, an OSD that is down stalls nothing, and Ray or a scheduler ends work before the kernel has to.

import { cephCheck, cephCheckByReason } from './ceph-checks.ts';
import type { Attributes } from './event.ts';
import { type Kind, kindInfo } from './kind.ts';
import { isQuota } from './quota.ts';
import { NO_DIRECTORY, OVER_CERTIFICATE } from './served-by-unit.ts';
import { isUnmanagedPort } from './unmanaged-port.ts';

/** By what the line calls it, behind its kind. */
const BY_WHAT: ReadonlyMap<string, string> = new Map([
  ['host.hung_task step_stuck', 'job step did not end'],
  ['host.soft_lockup rcu_stall', 'RCU stall'],
  ['host.soft_lockup hard_lockup', 'hard lockup'],
  ['job.failed server', 'server did not start'],
  // Of XFS, which then gives errors to those that read as well.
  ['storage.readonly shutdown', 'file system was shut down'],
  ['pod.device_unhealthy plugin_ended', 'all devices unhealthy: their device plugin ended'],
]);

/** What a kubelet calls it. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ['memory', 'memory'],
  ['disk', 'disk'],
  ['pid', 'process numbers'],
  ['pids', 'process numbers'],
  ['ephemeral-storage', 'disk'],
  ['inodes', 'disk'],
  ['nodefs', 'disk'],
  ['imagefs', 'disk'],
]);

/** By what ended it where that is not the kernel. */
const OF_MEMORY: ReadonlyMap<unknown, string> = new Map([
  ['Ray', 'worker ended by Ray for memory'],
  ['systemd-oomd', 'work ended by systemd-oomd for memory'],
  ['earlyoom', 'process ended by earlyoom for memory'],
  ['LSF', 'job ended by LSF at its memory limit'],
  ['PBS', 'job ended by PBS at its memory limit'],
  ['Slurm', 'job ended by Slurm at its memory limit'],
]);

/** It starts, and what ends it is in its own log. */
const ENDS_AGAIN = /CrashLoopBackOff|[Bb]ack-?[Oo]ff restarting/;

export function eventTitle(kind: Kind, attributes: Attributes): string {
  if (kind === 'power.source_transfer' && attributes.on_battery === true) return 'UPS on battery';
  if (isUnmanagedPort(kind, attributes)) return 'NIC port not set up by the subnet manager';
  if (kind === 'host.part_missing' && attributes.told_by === 'scheduler') return 'fewer parts than Slurm expects';
  if (kind === 'nic.command_timeout' && attributes.transmit_queue !== undefined) return 'NIC transmit timeout';
  if (kind === 'psu.failure' && attributes.mismatch === true) return 'power supply does not fit';
  if (kind === 'host.degraded' && attributes.reason === NO_DIRECTORY) return 'users cannot log in';
  if (kind === 'host.degraded' && attributes.reason === OVER_CERTIFICATE)
    return 'control plane of Kubernetes not reached';
  if (kind === 'host.disk_full' && isQuota(attributes)) return 'disk quota reached';
  if (kind === 'job.failed' && typeof attributes.model === 'string') return 'model was not loaded';
  if (kind === 'host.pressure') {
    const short = SHORT.get(String(attributes.resource));
    if (short !== undefined) return `node runs short of ${short}`;
  }
  const what = attributes.what === undefined ? undefined : BY_WHAT.get(`${kind} ${attributes.what}`);
  if (what !== undefined) return what;
  if (kind.startsWith('storage.') && attributes.file_system === 'ceph') {
    const check = cephCheck(attributes.check) ?? cephCheckByReason(attributes.reason);
    if (check?.kind === kind) return check.title;
  }
  if (kind === 'gpu.driver_unsupported' && attributes.driver_loaded === false) return 'GPU driver not loaded';
  if (kind === 'pod.start_failed' && ENDS_AGAIN.test(`${attributes.reason ?? ''} ${attributes.message ?? ''}`))
    return 'container ends again and again';
  if (kind === 'pod.device_unhealthy' && typeof attributes.allocatable === 'number')
    return `only ${attributes.allocatable} of ${attributes.capacity} GPUs for pods: others unhealthy`;
  if (kind === 'gpu.missing' && attributes.seen === 0) return 'no GPU seen';
  if (kind === 'host.oom') return OF_MEMORY.get(attributes.ended_by) ?? kindInfo(kind).title;
  return kindInfo(kind).title;
}
