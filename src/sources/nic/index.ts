// The NIC source: network cards and their ports, through sysfs.

import { defineSource } from '../define-source.ts';
import { switchedBy } from '../switched.ts';
import { resolve, schema } from './settings.ts';

/** Shows the network that this process is in. */
const OWN_SYS = '/sys';

export const nic = defineSource({
  name: 'nic',
  schema,
  resolve,
  ...switchedBy('nic'),
  reads: 'nic',
  trust: 'kernel',
  components: { nic: {} },
  notices: ['files_changed'],
  records: true,
  async create(settings, { host, roots, now, files, watch, identity }) {
    const { NicSource } = await import('./nic-source.ts');
    const { readEthtool } = await import('./ethtool.ts');
    const { readQueueOwners } = await import('./queue-watch.ts');
    return new NicSource(settings, {
      host,
      sys: roots.sys,
      now,
      files: files(),
      ports: identity.parts.ports,
      known: (facts) => identity.nics.found(facts),
      neverUp: (interfaces) => identity.nics.without(interfaces),
      // Another tree may be of another network, whose interfaces have the same names.
      ...(roots.sys === OWN_SYS
        ? {
            ethtool: readEthtool,
            queues: { read: readQueueOwners, proc: roots.proc, known: (devices) => identity.nics.queued(devices) },
          }
        : {}),
      ...(watch === null ? {} : { watch }),
    });
  },
});
