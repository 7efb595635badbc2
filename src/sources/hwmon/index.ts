// The hwmon source: power and temperature where no other source gives them.

import { defineSource } from '../define-source.ts';
import { switchedBy } from '../switched.ts';
import { resolve, schema } from './settings.ts';

export const hwmon = defineSource({
  name: 'hwmon',
  schema,
  resolve,
  ...switchedBy('hwmon'),
  reads: 'hwmon',
  trust: 'kernel',
  components: { gpu: {}, cpu: {}, host: {} },
  notices: ['files_changed'],
  records: true,
  async create(settings, { host, roots, now, files, watch }) {
    const { HwmonSource } = await import('./hwmon-source.ts');
    const options = { host, sys: roots.sys, now, files: files() };
    return new HwmonSource(settings, watch === null ? options : { ...options, watch });
  },
});
