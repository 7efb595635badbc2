// The system source: the host itself.

import { defineSource } from '../define-source.ts';
import { switchedBy } from '../switched.ts';
import { resolve, schema } from './settings.ts';

export const system = defineSource({
  name: 'system',
  schema,
  resolve,
  ...switchedBy('system'),
  reads: 'system',
  trust: 'system',
  components: { host: { lag: 'source' } },
  notices: ['clock_jump'],
  async create(settings, { host, roots, directories, now, lasting, identity }) {
    const { SystemSource } = await import('./system-source.ts');
    const { takeInventory } = await import('./inventory/take-inventory.ts');
    const { state, log } = directories;
    return new SystemSource(settings, {
      host,
      roots,
      filesystems: [...settings.filesystems, log, state],
      stateDirectory: lasting ? state : null,
      inventory: lasting ? (signal) => takeInventory(signal, undefined, identity.own) : null,
      now,
    });
  },
});
