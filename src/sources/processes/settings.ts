// Settings of the process source.

import { durationMs } from '../../config/quantity.ts';
import { duration, enabled, section } from '../../config/schema-parts.ts';
import type { RawOf } from '../../config/section.ts';
import type { Enabled } from '../switched.ts';

export const schema = {
  processes: section('Processes of this host: which are ranks of jobs, of whose, and on which devices.', {
    enabled: enabled('The look at processes'),
    interval: duration('Shortest time between two looks; on a host with many processes they are further apart.', '2s', '1s', '1m'), // biome-ignore format: one line
    reader: {
      type: 'string',
      default: '/run/faultline-environ/reader.sock',
      description:
        'Socket of faultline-environ, which reads the listed variables of other users\' processes; "": none is asked.',
    },
  }),
} as const;

export interface ProcessSettings {
  readonly enabled: Enabled;
  readonly intervalMs: number;
  /** Path of a socket; '': no reader is asked. */
  readonly reader: string;
}

export function resolve({ processes }: RawOf<typeof schema>): ProcessSettings {
  return { enabled: processes.enabled, intervalMs: durationMs(processes.interval), reader: processes.reader };
}
