// Settings of the hwmon source.

import { durationMs } from '../../config/quantity.ts';
import { duration, enabled, section } from '../../config/schema-parts.ts';
import type { RawOf } from '../../config/section.ts';
import type { Enabled } from '../switched.ts';

export const schema = {
  hwmon: section('Power and temperature from hwmon, where no other source gives them.', {
    enabled: enabled('Sensors of the board'),
    interval: duration('Time between two readings.', '5s', '1s', '1m'),
  }),
} as const;

export interface HwmonSettings {
  readonly enabled: Enabled;
  readonly intervalMs: number;
}

export function resolve({ hwmon }: RawOf<typeof schema>): HwmonSettings {
  return { enabled: hwmon.enabled, intervalMs: durationMs(hwmon.interval) };
}
