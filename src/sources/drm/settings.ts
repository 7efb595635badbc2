// Settings of the DRM source.

import { durationMs } from '../../config/quantity.ts';
import { duration, enabled, section } from '../../config/schema-parts.ts';
import type { RawOf } from '../../config/section.ts';
import type { Enabled } from '../switched.ts';

export const schema = {
  drm: section('GPUs of AMD and Intel: which there are, how they are split, and the processes on them.', {
    enabled: enabled('GPUs of AMD and Intel'),
    interval: duration('Time between two looks.', '5s', '1s', '1m'),
  }),
} as const;

export interface DrmSettings {
  readonly enabled: Enabled;
  readonly intervalMs: number;
}

export function resolve({ drm }: RawOf<typeof schema>): DrmSettings {
  return { enabled: drm.enabled, intervalMs: durationMs(drm.interval) };
}
