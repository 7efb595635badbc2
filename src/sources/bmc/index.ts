// The BMC source: baseboard management controllers, over Redfish.

import { defineSource } from '../define-source.ts';
import { unconfigured } from '../switched.ts';
import type { Supply } from './decode/parts.ts';
import { names, resolve, schema } from './settings.ts';

const EXAMPLE =
  'sources: {bmc: [{host: node-3, url: "https://10.0.20.3", user: faultline, password_file: /etc/faultline/bmc-password}]}';

export const bmc = defineSource({
  name: 'bmc',
  schema,
  resolve,
  names,
  idle: (bmcs) => (bmcs.length === 0 ? unconfigured('BMC', EXAMPLE) : null),
  reads: 'Redfish',
  trust: 'bmc',
  components: { host: {}, cdu: {}, psu: { lag: 'device' }, fan: { lag: 'device' } },
  exclusive: true,
  async create(bmcs, { now, logger, host, identity, lasting, directories }) {
    const { BmcSource } = await import('./bmc-source.ts');
    const { installed } = await import('./installed.ts');
    const onSupplies = (of: string, supplies: readonly Supply[]): void => {
      if (of === host) identity.supplies.saw(installed(supplies));
    };
    return new BmcSource(bmcs, { now, logger, host, onSupplies, directory: directories.state, keep: lasting });
  },
});
