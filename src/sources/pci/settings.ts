// Settings of the PCI source.

import { durationMs } from '../../config/quantity.ts';
import { duration, enabled, section } from '../../config/schema-parts.ts';
import type { RawOf } from '../../config/section.ts';
import type { Enabled } from '../switched.ts';

export const schema = {
  pci: section('The PCI bus against the driver: GPUs that the driver does not have.', {
    enabled: enabled('The PCI bus'),
    interval: duration('Time between two looks.', '15s', '1s', '10m'),
  }),
} as const;

export interface PciSettings {
  readonly enabled: Enabled;
  readonly intervalMs: number;
}

export function resolve({ pci }: RawOf<typeof schema>): PciSettings {
  return { enabled: pci.enabled, intervalMs: durationMs(pci.interval) };
}
