// Author: whether a program's line in the journal is that program's own, so that it counts as the system's. Its name is the sender's word.
// Root is not enough: log daemons and container runtimes run as root and pass on what users write, and so does root of a container.

import type { Trust } from '../../model/event.ts';

interface Author {
  readonly units: readonly string[];
  readonly executables: readonly string[];
}

/** By the name under which it logs. A unit's name is the journal's own field, taken from the control group that only root arranges. */
const AUTHORS: ReadonlyMap<string, Author> = new Map([
  ['nv-fabricmanager', { units: ['nvidia-fabricmanager.service'], executables: ['nv-fabricmanager'] }],
  ['chronyd', { units: ['chronyd.service', 'chrony.service'], executables: ['chronyd'] }],
  ['ntpd', { units: ['ntpd.service', 'ntp.service', 'ntpsec.service'], executables: ['ntpd'] }],
  ['systemd-timesyncd', { units: ['systemd-timesyncd.service'], executables: ['systemd-timesyncd'] }],
  // Process 1 alone: a user's own manager has another unit.
  ['systemd', { units: ['init.scope'], executables: ['systemd'] }],
  ['mmfs', { units: ['gpfs.service'], executables: ['mmfsd', 'logger'] }],
]);
/** What container engines write with the words of a container (journald's log driver, conmon). */
export const OF_CONTAINERS = [
  'CONTAINER_ID',
  'CONTAINER_ID_FULL',
  'CONTAINER_NAME',
  'CONTAINER_TAG',
  'IMAGE_NAME',
] as const;

/** Fields that begin with "_" are the journal's own, whatever a client sends. */
export function authorTrust(fields: ReadonlyMap<string, string>): Trust {
  const author = AUTHORS.get(fields.get('SYSLOG_IDENTIFIER') ?? '');
  if (author === undefined || fields.get('_UID') !== '0') return 'tenant';
  // What anyone wrote into /dev/kmsg, and the words of containers.
  if (fields.get('_TRANSPORT') === 'kernel' || OF_CONTAINERS.some((name) => fields.has(name))) return 'tenant';
  const executable = fields.get('_EXE')?.split('/').at(-1) ?? '';
  return author.units.includes(fields.get('_SYSTEMD_UNIT') ?? '') && author.executables.includes(executable)
    ? 'system'
    : 'tenant';
}
