// Settings of the GPU source.

import { durationMs } from '../../config/quantity.ts';
import { choice, duration, enabled, path, section } from '../../config/schema-parts.ts';
import type { RawOf, Resolving } from '../../config/section.ts';
import type { Enabled } from '../switched.ts';

export const schema = {
  gpu: section('NVIDIA GPUs through NVML, loaded by a child process.', {
    enabled: enabled('GPUs'),
    library: path(
      'Name or path of the vendor library; a name without "/" is searched by the loader.',
      'libnvidia-ml.so.1',
    ),
    poll: choice(
      'Whether values are read: off leaves only the events that the driver tells by itself (XIDs, ECC, losses).',
      ['on', 'off'],
      'on',
    ),
    interval: duration('Time between two samples.', '500ms', '20ms', '1m'),
    burst_interval: {
      ...duration('Time between two samples while something is suspected.', '100ms', '10ms', '1m'),
      notLongerThan: 'interval',
    },
    call_deadline: duration('A driver call that takes longer is reported and its device given up.', '2s', '50ms', '1m'),
  }),
} as const;

export interface GpuSettings {
  readonly enabled: Enabled;
  readonly library: string;
  readonly poll: boolean;
  readonly intervalMs: number;
  readonly burstIntervalMs: number;
  readonly callDeadlineMs: number;
}

export function resolve({ gpu }: RawOf<typeof schema>, { absolute, findings }: Resolving): GpuSettings {
  const intervalMs = durationMs(gpu.interval);
  const burstIntervalMs = durationMs(gpu.burst_interval);
  if (burstIntervalMs > intervalMs) {
    findings.problem(
      'FL1110',
      '/sources/gpu/burst_interval',
      `is longer than sources.gpu.interval (${gpu.interval}). Write: burst_interval: ${gpu.interval}`,
    );
  }
  return {
    enabled: gpu.enabled,
    library: gpu.library.includes('/') ? absolute(gpu.library) : gpu.library,
    poll: gpu.poll === 'on',
    intervalMs,
    burstIntervalMs,
    callDeadlineMs: durationMs(gpu.call_deadline),
  };
}
