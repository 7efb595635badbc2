// Settings of the CPU source.

import { DURATION_PATTERN, durationMs } from '../../config/quantity.ts';
import { duration, enabled, section } from '../../config/schema-parts.ts';
import type { RawOf } from '../../config/section.ts';
import type { Enabled } from '../switched.ts';

export const schema = {
  cpu: section('CPU package power and limits through RAPL.', {
    enabled: enabled('CPU power'),
    interval: duration('Time between two samples.', '500ms', '20ms', '1m'),
    fast_interval: {
      type: 'string',
      description:
        'Also read energy this often, and tell the highest and lowest power between two samples. Off when left out.',
      pattern: DURATION_PATTERN,
      durationRange: { min: '1ms', max: '1s' },
      examples: ['1ms'],
    },
  }),
} as const;

export interface CpuSettings {
  readonly enabled: Enabled;
  readonly intervalMs: number;
  /** How often energy is read for the extremes of power between two samples; null: it is not. */
  readonly fastIntervalMs: number | null;
}

export function resolve({ cpu }: RawOf<typeof schema>): CpuSettings {
  return {
    enabled: cpu.enabled,
    intervalMs: durationMs(cpu.interval),
    fastIntervalMs: cpu.fast_interval === undefined ? null : durationMs(cpu.fast_interval),
  };
}
