// The source of what the kernel kept over a crash: read once, at the start; nothing of it is changed or deleted.

import { join } from 'node:path';
import { defineSource } from '../define-source.ts';
import { switchedBy } from '../switched.ts';
import { resolve, schema } from './settings.ts';

export const afterCrash = defineSource({
  name: 'after-crash',
  schema,
  resolve,
  ...switchedBy('after_crash'),
  reads: 'kernel crash records',
  trust: 'kernel',
  components: {},
  async create(settings, { now, steady, roots }) {
    const { AfterCrashSource } = await import('./after-crash-source.ts');
    // A host whose sysfs is another's has no state of systemd here either.
    const usual = roots.sys === '/sys' ? ['/sys/fs/pstore', '/var/lib/systemd/pstore'] : [join(roots.sys, 'fs/pstore')];
    const paths = settings.paths.length > 0 ? settings.paths : usual;
    return new AfterCrashSource(paths, { now, steady });
  },
});
