// Settings of the NIC source.

import { durationMs } from '../../config/quantity.ts';
import { duration, enabled, section } from '../../config/schema-parts.ts';
import type { RawOf } from '../../config/section.ts';
import type { Enabled } from '../switched.ts';

export const schema = {
  nic: section('Network cards and their ports, through sysfs.', {
    enabled: enabled('Network cards'),
    interval: duration('Time between two readings.', '5s', '1s', '1m'),
    fabric: {
      type: 'array',
      description:
        'Interfaces or PCI addresses of cards that carry the job though they are slow and have no RDMA; such are taken for management ports otherwise.',
      items: { type: 'string', minLength: 1, maxLength: 64, examples: ['eth2', '0000:1b:00.0'] },
      maxItems: 64,
      default: [],
    },
  }),
} as const;

export interface NicSettings {
  readonly enabled: Enabled;
  readonly intervalMs: number;
  /** Interface names and PCI addresses that carry the job, whatever they look like. */
  readonly fabric: readonly string[];
}

export function resolve({ nic }: RawOf<typeof schema>): NicSettings {
  return { enabled: nic.enabled, intervalMs: durationMs(nic.interval), fabric: nic.fabric };
}
