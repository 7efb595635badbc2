// Settings of the system source.

import { durationMs } from '../../config/quantity.ts';
import { duration, enabled, path, section } from '../../config/schema-parts.ts';
import type { RawOf, Resolving } from '../../config/section.ts';
import type { Enabled } from '../switched.ts';

export const schema = {
  system: section('The host itself: CPU, memory, pressure, disks and network, full file systems, reboots.', {
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
  }),
} as const;

export interface SystemSettings {
  readonly enabled: Enabled;
  readonly intervalMs: number;
  /** Mount points, or folders inside them, that must not fill up. */
  readonly filesystems: readonly string[];
  readonly shm: string;
}

export function resolve({ system }: RawOf<typeof schema>, { absolute }: Resolving): SystemSettings {
  return {
    enabled: system.enabled,
    intervalMs: durationMs(system.interval),
    filesystems: system.filesystems.map((path) => absolute(path)),
    shm: absolute(system.shm),
  };
}
