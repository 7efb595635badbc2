// The CPU source: package power and limits through RAPL.

import { defineSource } from '../define-source.ts';
import { switchedBy } from '../switched.ts';
import { resolve, schema } from './settings.ts';

export const cpu = defineSource({
  name: 'cpu',
  schema,
  resolve,
  ...switchedBy('cpu'),
  reads: 'powercap',
  trust: 'kernel',
  components: {
    cpu: { native: true, lag: 'source' },
    /** RAPL's psys domain: the power of the whole host. */
    host: { native: true },
  },
  notices: ['rapl_state'],
  async create(settings, { host, roots, core, files, identity }) {
    const { CpuSource } = await import('./cpu-source.ts');
    const users = () => [...new Set([...identity.gpus.facts().users.values()].flat())];
    return new CpuSource(settings, roots, host, core, files(), users);
  },
});
