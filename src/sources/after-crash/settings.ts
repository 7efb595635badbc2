// Settings of the source of what the kernel kept over a crash.

import { enabled, list, section } from '../../config/schema-parts.ts';
import type { RawOf, Resolving } from '../../config/section.ts';
import type { Enabled } from '../switched.ts';

export const schema = {
  after_crash: section('What the kernel kept over a crash (pstore): its last lines, as history of the boot before.', {
    enabled: enabled('What was kept'),
    paths: list(
      'Folders with records. Left out: fs/pstore under the root of sysfs, and where systemd-pstore moves them, /var/lib/systemd/pstore.',
      { type: 'string', minLength: 1, maxLength: 4096, 'x-path': true, examples: ['/sys/fs/pstore'] },
      4,
    ),
  }),
} as const;

export interface AfterCrashSettings {
  readonly enabled: Enabled;
  /** Empty: the usual ones. */
  readonly paths: readonly string[];
}

export function resolve({ after_crash: raw }: RawOf<typeof schema>, { absolute }: Resolving): AfterCrashSettings {
  return { enabled: raw.enabled, paths: raw.paths.map((path) => absolute(path)) };
}
