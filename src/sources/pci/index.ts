// The PCI source: GPUs that the bus shows and the driver does not have.

import { defineSource } from '../define-source.ts';
import { switchedBy } from '../switched.ts';
import { resolve, schema } from './settings.ts';

export const pci = defineSource({
  name: 'pci',
  schema,
  resolve,
  ...switchedBy('pci'),
  reads: 'pci',
  trust: 'kernel',
  components: { gpu: {}, pcie: {} },
  async create(settings, { host, roots, now, files, identity }) {
    const { PciSource } = await import('./pci-source.ts');
    const library = () => identity.gpus.listed();
    return new PciSource(settings, { host, roots, library, now, files: files() });
  },
});
