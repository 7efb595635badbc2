// Settings of the inventory source.

import { durationMs } from '../../config/quantity.ts';
import { duration, enabled, section } from '../../config/schema-parts.ts';
import type { RawOf } from '../../config/section.ts';
import type { Enabled } from '../switched.ts';

export const schema = {
  inventory: section('The parts of the host against those that it had: GPUs, network cards, memory, supplies, disks.', {
    enabled: enabled('The inventory'),
    interval: duration('Time between two looks.', '30s', '1s', '10m'),
  }),
} as const;

export interface InventorySettings {
  readonly enabled: Enabled;
  readonly intervalMs: number;
}

export function resolve({ inventory }: RawOf<typeof schema>): InventorySettings {
  return { enabled: inventory.enabled, intervalMs: durationMs(inventory.interval) };
}
