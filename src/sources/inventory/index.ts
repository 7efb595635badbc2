// The inventory source: parts that were there and are not.

import { defineSource } from '../define-source.ts';
import { switchedBy } from '../switched.ts';
import { resolve, schema } from './settings.ts';

export const inventory = defineSource({
  name: 'inventory',
  schema,
  resolve,
  ...switchedBy('inventory'),
  reads: 'parts',
  trust: 'kernel',
  components: { gpu: {}, nic: {}, dimm: {}, psu: {}, disk: {}, host: {} },
  async create(settings, { host, roots, now, files, identity }) {
    const { InventorySource } = await import('./inventory-source.ts');
    return new InventorySource(settings, { host, sys: roots.sys, now, files: files(), identity });
  },
});
