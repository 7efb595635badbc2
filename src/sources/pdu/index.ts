// The PDU source: power distribution units, transfer switches and UPSs, over SNMP. net-snmp is loaded only where one is configured.

import { defineSource } from '../define-source.ts';
import { unconfigured } from '../switched.ts';
import { schema } from './schema.ts';
import { names, resolve } from './settings.ts';

const EXAMPLE = 'sources: {pdu: [{name: pdu-b, host: 10.0.14.2, community_file: /etc/faultline/pdu-community}]}';

export const pdu = defineSource({
  name: 'pdu',
  schema,
  resolve,
  names,
  idle: (pdus) => (pdus.length === 0 ? unconfigured('PDU', EXAMPLE) : null),
  reads: 'SNMP',
  trust: 'facility',
  components: {
    pdu: { lag: 'device' },
    ups: { lag: 'device' },
    pdu_inlet: { lag: 'device' },
    pdu_phase: { lag: 'device' },
    pdu_branch: { lag: 'device' },
    pdu_outlet: { lag: 'device' },
  },
  exclusive: true,
  async create(pdus, { now, logger, host }) {
    const { PduSource } = await import('./pdu-source.ts');
    return new PduSource(pdus, { now, logger, host });
  },
});
