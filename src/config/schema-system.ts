// The part of the configuration schema about the host itself.

import { duration, enabled, path, section } from './schema-parts.ts';

export const system = section(
  'The host itself: CPU, memory, pressure, disks and network, full file systems, reboots.',
  {
    enabled: enabled('The host'),
    interval: duration('Time between two readings.', '10s', '1s', '10m'),
    filesystems: {
      type: 'array',
      description: 'File systems that must not fill up, besides those that Faultline writes to.',
      items: { type: 'string', minLength: 1, maxLength: 4096, 'x-path': true, examples: ['/'] },
      maxItems: 16,
      default: ['/'],
    },
    shm: path('Shared memory, which data loaders and NCCL need room in.', '/dev/shm'),
  },
);
