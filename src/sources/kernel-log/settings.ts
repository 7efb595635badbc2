// Settings of the kernel log source.

import { enabled, path, section } from '../../config/schema-parts.ts';
import type { RawOf, Resolving } from '../../config/section.ts';
import type { Enabled } from '../switched.ts';

export const schema = {
  kernel_log: section('The kernel log: XIDs, OOM, hung tasks, machine checks.', {
    enabled: enabled('The kernel log'),
    path: path('The device, or a file in the same form.', '/dev/kmsg'),
    user_lines: {
      type: 'boolean',
      description: 'Also read lines that programs wrote into the kernel log; they can be forged.',
      default: false,
    },
  }),
} as const;

export interface KernelLogSettings {
  readonly enabled: Enabled;
  readonly path: string;
  readonly userLines: boolean;
}

export function resolve({ kernel_log: log }: RawOf<typeof schema>, { absolute }: Resolving): KernelLogSettings {
  return { enabled: log.enabled, path: absolute(log.path), userLines: log.user_lines };
}
